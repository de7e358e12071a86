# Causeway as an image: one for all roles, which the command tells apart ("serve", "serve --only api", "serve --only relay",
# "migrate"). It holds the bundle of the command line, the documentation, the console and the onboarding page. PostgreSQL is
# elsewhere (DATABASE_URL).

FROM node:24-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund --no-progress \
 && node scripts/build-docs.js && node scripts/build-pages.js console && node scripts/build-pages.js onboarding \
 && node packages/cli/scripts/build.js

FROM node:24-slim
WORKDIR /app
# One arena: with one for each thread, a process keeps 15 to 20 MiB more after a load.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 MALLOC_ARENA_MAX=1
COPY --from=build /app/packages/cli/dist ./
COPY --from=build /app/docs/dist lib/files/docs/dist
COPY --from=build /app/packages/console/dist lib/files/packages/console/dist
COPY --from=build /app/packages/onboarding/dist lib/files/packages/onboarding/dist
# Traces, where a derived image brings an SDK of OpenTelemetry: --import ./packages/tracing/src/register.ts
COPY --from=build /app/packages/tracing packages/tracing
COPY --from=build /app/node_modules/@opentelemetry/api node_modules/@opentelemetry/api
# By number, so that an orchestrator can see that it is not root. Nothing in the image is theirs to write.
USER 1000:1000
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/causeway.js"]
CMD ["serve"]
