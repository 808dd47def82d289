#!/usr/bin/env bash
# Print the operator's manifests for an operator image and a cache image.
# usage: hack/overlay.sh OPERATOR_IMAGE CACHE_IMAGE
set -euo pipefail
cd "$(dirname "$0")/.."
operator=${1:?usage: hack/overlay.sh OPERATOR_IMAGE CACHE_IMAGE}
cache=${2:?usage: hack/overlay.sh OPERATOR_IMAGE CACHE_IMAGE}

# kustomize reads bases only by relative path, and only below or beside the overlay.
overlay=$(mktemp -d config/.overlay.XXXXXX)
trap 'rm -rf "$overlay"' EXIT
cat >"$overlay/kustomization.yaml" <<YAML
resources: [../default]
patches:
  - target: {kind: Deployment, name: distributed-cache-operator}
    patch: |
      - {op: replace, path: /spec/template/spec/containers/0/image, value: "$operator"}
      - {op: add, path: /spec/template/spec/containers/0/args/-, value: "--cache-image=$cache"}
YAML
"${KUBECTL:-kubectl}" kustomize "$overlay"
