# syntax=docker/dockerfile:1
# The service. `docker build -t rolecall .`; tools/try-image.js builds and runs it, and says what of that was tried where.
# What the image holds is the packed release (tools/pack-service.js), with the exact versions of its shrinkwrap and their list, /app/sbom.cdx.json.
# The same commit on the same base images gives the same layers, where the builder sets all times (buildah: --timestamp; BuildKit's
# SOURCE_DATE_EPOCH with rewrite-timestamp was not tried). docs/guides/releasing.md says how that is checked.

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

# Debian alone: no npm, no compiler. Node.js needs of it libc, libstdc++ and libgcc, and brings its own list of certificate authorities.
FROM debian:bookworm-slim
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app /app
# The embedded database, for who has no PostgreSQL: a volume, and the only place that is written to.
COPY --from=build --chown=65532:65532 /empty/data /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 WORKERS=auto HOME=/data
WORKDIR /data
USER 65532:65532
EXPOSE 3000
# Node.js as PID 1 takes SIGTERM and drains; what runs it must give it 15 seconds (docker run --stop-timeout 15).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/rolecall.js"]
CMD ["serve"]
