#!/usr/bin/env bash
# The demo: a local Kubernetes, the operator in it, a cache, and a client. Every command that is
# echoed is one that a user would type.
set -euo pipefail
cd "$(dirname "$0")/.."
name=${LOCALKUBE_NAME:-demo}
version=dev
registry=ghcr.io/sk1-services
export CGO_ENABLED=0 # static binaries
begin=$(date +%s.%N)

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
show() {
  printf '\n$ %s\n' "$*"
  "$@"
}
since() { awk -v a="$1" -v b="$(date +%s.%N)" 'BEGIN {printf "%.1f", b - a}'; }
fail() {
  printf '\ndemo: %s\n' "$1" >&2
  exit 1
}

say "1. A local Kubernetes"
make -s localkube
bin/localkube up --name "$name" --node real
KUBECONFIG=$(bin/localkube kubeconfig --name "$name")
export KUBECONFIG
PATH=$(dirname "$(bin/localkube build --only kubectl 2>/dev/null | tail -n 1)"):$PATH
export PATH

say "2. The images, built without Docker"
go build -ldflags "-s -w -X main.version=$version" -o bin/ ./cmd/...
bin/localkube load --name "$name" "$registry/distributed-cache-operator:$version" --binary bin/manager
bin/localkube load --name "$name" "$registry/tiny-cache:$version" --binary bin/tiny-cache
bin/localkube load --name "$name" "$registry/cache-cli:$version" --binary bin/cache-cli

say "3. The operator"
show kubectl apply --server-side -k config/default
show kubectl -n distributed-cache-system rollout status deployment/distributed-cache-operator --timeout=90s

say "4. A cache"
applied=$(date +%s.%N)
show kubectl apply --server-side -f config/samples/orders-cache.yaml
show kubectl wait dc/orders-cache --for=condition=Available --timeout=90s
available=$(since "$applied")
kubectl wait dc/orders-cache --for=condition=Ready --timeout=90s >/dev/null
show kubectl get dc
show kubectl get pods -l app.kubernetes.io/instance=orders-cache
show kubectl get configmap orders-cache-ring -o 'jsonpath={.data.ring\.json}'
echo

say "5. A client"
kubectl delete job cache-cli-demo --ignore-not-found >/dev/null
show kubectl apply --server-side -f config/samples/cli-job.yaml
show kubectl wait job/cache-cli-demo --for=condition=Complete --timeout=60s ||
  { kubectl logs job/cache-cli-demo || true; fail "the demo Job did not complete"; }
show kubectl logs job/cache-cli-demo

total=$(since "$begin")
echo
echo "figure demo.apply_to_available_s $available s"
echo "figure demo.total_s $total s"
cat <<TEXT

Look further:
  export KUBECONFIG=$KUBECONFIG
  export PATH=$(dirname "$(command -v kubectl)"):\$PATH
  kubectl explain distributedcache.spec
  kubectl describe dc orders-cache
  kubectl scale dc orders-cache --replicas=5 && kubectl get dc -w
Tear down:
  make demo-down
TEXT
