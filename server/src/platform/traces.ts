import { FastifyOtelInstrumentation } from '@fastify/otel';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

import { programVersion } from './version.ts';

/**
 * Traces every request from HTTP through Fastify to PostgreSQL, to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names, over
 * HTTP. Address, headers, limits and resource follow OpenTelemetry's own variables; OTEL_TRACES_SAMPLER_ARG is the share of
 * requests that are traced, whatever the caller's own `traceparent` asks for.
 * @returns a function that flushes the spans and ends the tracing.
 */
export function startTraces(): () => Promise<void> {
  const share = Number(process.env['OTEL_TRACES_SAMPLER_ARG'] ?? 1);
  const ratio = new TraceIdRatioBasedSampler(Number.isFinite(share) ? share : 1);
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'parrain', 'service.version': programVersion }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: ratio, remoteParentSampled: ratio, remoteParentNotSampled: ratio }),
    spanProcessors: [new BatchSpanProcessor({ exporter: withoutPersonalData(new OTLPTraceExporter()) })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  registerInstrumentations({
    instrumentations: [
      // Health checks are not traced.
      new HttpInstrumentation({
        ignoreIncomingRequestHook: ({ url = '' }) => /^\/(?:health|metrics)\b/u.test(url),
        disableOutgoingRequestInstrumentation: true,
      }),
      new FastifyOtelInstrumentation({ registerOnInitialization: true }),
      new PgInstrumentation(),
    ],
  });
  return () => provider.shutdown();
}

/** The allowed attributes of a span: the shape of the request, never a person, a network, a subject or a value. */
const KEPT: ReadonlySet<string> = new Set([
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'url.scheme',
  'network.protocol.version',
  'error.type',
  'db.system.name',
  'db.namespace',
  'db.operation.name',
  'db.query.text',
  'db.response.status_code',
  'fastify.type',
  'fastify.version',
  'hook.name',
  'hook.callback.name',
]);

function withoutPersonalData(exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) => exporter.export(spans.map(cleaned), done),
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush === undefined ? {} : { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}

/** The span with the attributes that are allowed, and without the words of errors, which may quote a value. */
function cleaned(span: ReadableSpan): ReadableSpan {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(span.attributes)) {
    if (!KEPT.has(name)) continue;
    attributes[name] = name === 'db.query.text' ? String(value).replace(/'(?:[^']|'')*'/gu, '?') : value;
  }
  const isError = span.status.code === SpanStatusCode.ERROR;
  return Object.create(span, {
    attributes: { value: attributes },
    events: { value: [] },
    links: { value: [] },
    status: { value: { code: isError ? SpanStatusCode.ERROR : span.status.code } },
  }) as ReadableSpan;
}
