# syntax=docker/dockerfile:1
# The image of the service: `docker build -t rolecall .`. tools/try-image.js builds and runs it. The image contains the packed release
# (tools/pack-service.js) with the exact versions of its shrinkwrap, and their bill of materials in /app/sbom.cdx.json. The same commit
# and base images give the same layers if the builder sets all times: --timestamp of buildah. SOURCE_DATE_EPOCH of BuildKit with
# rewrite-timestamp was not tested. docs/guides/releasing.md describes the check.

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts \
 && npm run build \
 && npm run docs:site \
 && node -e "import('./tools/pack-service.js').then(({ stageService }) => stageService('/app'))" \
 && cd /app && npm ci --omit=dev --ignore-scripts \
 && find node_modules \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' \) -delete \
 && chmod -R u=rwX,go=rX /app \
 && mkdir -p /empty/data

# Debian without npm and compilers. Node.js needs only its libc, libstdc++, and libgcc, and contains its own list of certificate authorities.
FROM debian:bookworm-slim
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app /app
# Mount a volume here for the embedded database. The service writes nowhere else.
COPY --from=build --chown=65532:65532 /empty/data /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 WORKERS=auto HOME=/data
WORKDIR /data
USER 65532:65532
EXPOSE 3000
# Node.js runs as PID 1, and drains after SIGTERM. Give it 15 seconds to stop (docker run --stop-timeout 15).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/rolecall.js"]
CMD ["serve"]
