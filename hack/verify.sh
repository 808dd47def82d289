#!/usr/bin/env bash
# Check that what is generated is what would be generated: works on a copy, so that it neither
# needs a clean tree nor changes it.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

git ls-files -z --cached --others --exclude-standard |
  tar --null --files-from=- --ignore-failed-read -cf - 2>/dev/null | tar -xf - -C "$copy"
make -s controller-gen
make -C "$copy" -s BIN="$PWD/bin" generate manifests golden >/dev/null
(cd "$copy" && go mod tidy && cd hack/localkube && go mod tidy)

failed=0
while IFS= read -r -d '' file; do
  if ! cmp -s "$file" "$copy/$file"; then
    echo "stale: $file (run make generate manifests golden, or go mod tidy)"
    diff -u "$file" "$copy/$file" | head -40 || true
    failed=1
  fi
done < <(git ls-files -z --cached --others --exclude-standard)
while IFS= read -r file; do
  if [ ! -e "$file" ]; then
    echo "missing: $file is generated and not here"
    failed=1
  fi
done < <(cd "$copy" && find applyconfiguration config -type f)
exit "$failed"
