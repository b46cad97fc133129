/** GET /metrics: what goes on, for Prometheus. Labels are ids, words of ours and routes, no more. */
import { createRoute, z } from '@hono/zod-openapi';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RunReport } from '../core/run.ts';
import { reportOf } from '../views/run.ts';
import { readReasons } from '../views/run-contacts.ts';
import type { Access } from './access.ts';
import type { HttpDeps } from './request/context.ts';
import type { AnsweredRequest } from './request/guards.ts';
import { createRouter, problems } from './request/router.ts';

export interface Metrics {
  noteRequest(request: AnsweredRequest): void;
  /** Counts a run that has ended. */
  noteRun(report: RunReport): Promise<void>;
  /** Everything in the text format of Prometheus, and its content type. */
  render(): Promise<{ text: string; contentType: string }>;
}

type MetricDeps = Pick<HttpDeps, 'application' | 'clock' | 'lastTickAt'>;

/** Makes the metrics of one service; each has a registry of its own. */
export function createMetrics(deps: MetricDeps): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counters = createCounters(registers);
  const duration = new Histogram({
    name: 'donor_sync_http_request_seconds',
    help: 'Time until a request was answered.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.2, 1, 5],
    registers,
  });
  addGauges(deps, registers);

  return {
    noteRequest({ method, route, status, timeMs }) {
      duration.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, timeMs / 1_000);
    },
    async noteRun(report) {
      const { id, integration } = report;
      countRun(counters, report);
      for (const { outcome, reason, count } of await readReasons(deps.application.store, id)) {
        if (outcome !== null) counters.contacts.inc({ integration, outcome, reason }, count);
      }
    },
    render: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  };
}

/** What adds up while the process lives. */
function createCounters(registers: Registry[]) {
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `donor_sync_${name}_total`, help, labelNames, registers });
  return {
    runs: counter('runs', 'Runs that have ended.', 'integration', 'trigger', 'status'),
    contacts: counter(
      'contacts',
      'What runs did to contacts, by outcome and reason.',
      ...['integration', 'outcome', 'reason'],
    ),
    calls: counter(
      'calls',
      'Requests to the Partner Data Service and to CRMs.',
      ...['integration', 'to'],
    ),
    throttled: counter(
      'throttled_calls',
      'Requests that were asked to come back later.',
      'integration',
    ),
    spent: counter('credits_spent', 'Credits that runs have spent.', 'integration', 'bucket'),
  };
}

function countRun(counters: ReturnType<typeof createCounters>, report: RunReport): void {
  const { integration, trigger, status, calls, credits } = report;
  counters.runs.inc({ integration, trigger, status });
  counters.calls.inc({ integration, to: 'partner' }, calls.partner);
  counters.calls.inc({ integration, to: 'crm' }, calls.crm);
  counters.throttled.inc({ integration }, calls.throttled);
  for (const bucket of BUCKETS) {
    counters.spent.inc({ integration, bucket }, credits[bucket].spent);
  }
}

const BUCKETS = ['enhancements', 'networks'] as const;

/** Runs that are looked through for one that has read the balance. */
const RUNS_WITH_BALANCE = 5;

/** What the store says at the moment of asking, so that runs of other processes count as well. */
function addGauges({ application, clock, lastTickAt }: MetricDeps, registers: Registry[]): void {
  const { store, integrations } = application;

  gauge('donor_sync_credits_remaining', 'Credits left, as the last run has read them.', {
    labelNames: ['integration', 'bucket'],
    async collect(set) {
      for (const integration of integrations.keys()) {
        const rows = await store.runs.list({
          integrationId: integration,
          limit: RUNS_WITH_BALANCE,
        });
        const reports = await Promise.all(rows.map((row) => reportOf(store, row)));
        for (const bucket of BUCKETS) {
          const read = reports.find(({ credits }) => credits[bucket].remaining !== null);
          const remaining = read?.credits[bucket].remaining;
          if (typeof remaining === 'number') set({ integration, bucket }, remaining);
        }
      }
    },
  });
  gauge('donor_sync_last_success_age_seconds', 'Time since the end of the last good run.', {
    labelNames: ['integration'],
    async collect(set) {
      for (const integration of integrations.keys()) {
        const [run] = await store.runs.list({
          integrationId: integration,
          status: 'succeeded',
          limit: 1,
        });
        const at = run?.finishedAt;
        if (typeof at === 'number') set({ integration }, (clock.now() - at) / 1_000);
      }
    },
  });
  gauge('donor_sync_run_requests', 'Runs that were asked for and wait to begin.', {
    labelNames: ['integration'],
    async collect(set) {
      const requests = Map.groupBy(await store.runRequests.list(), (row) => row.integrationId);
      for (const integration of integrations.keys()) {
        set({ integration }, requests.get(integration)?.length ?? 0);
      }
    },
  });
  gauge(
    'donor_sync_webhook_contacts_ignored',
    'Contacts that webhooks named and that the CRM does not have, since the address was made.',
    {
      labelNames: ['integration'],
      async collect(set) {
        for (const { integrationId, ignoredCount } of await store.hooks.list()) {
          if (integrations.has(integrationId)) set({ integration: integrationId }, ignoredCount);
        }
      },
    },
  );
  gauge('donor_sync_holds', 'Contacts and networks that wait for a decision of a person.', {
    labelNames: ['integration', 'about'],
    async collect(set) {
      const contacts = await store.holds.countOpen();
      const networks = await store.networkHolds.countOpen();
      for (const integration of integrations.keys()) {
        set({ integration, about: 'contact' }, contacts.get(integration) ?? 0);
        set({ integration, about: 'network' }, networks.get(integration) ?? 0);
      }
    },
  });
  gauge('donor_sync_last_tick_age_seconds', 'Time since the schedules were looked at.', {
    labelNames: [],
    async collect(set) {
      const at = lastTickAt();
      if (at !== null) set({}, (clock.now() - at) / 1_000);
    },
  });

  function gauge(
    name: string,
    help: string,
    options: {
      labelNames: string[];
      collect(set: (labels: Record<string, string>, value: number) => void): Promise<void>;
    },
  ): void {
    const made: Gauge = new Gauge({
      name,
      help,
      labelNames: options.labelNames,
      registers,
      collect: async () => {
        // What is gone from the settings is gone from here as well.
        made.reset();
        await options.collect((labels, value) => made.set(labels, value));
      },
    });
  }
}

function metricsRoute({ requireViewerUnlessLocal }: Access) {
  return createRoute({
    method: 'get',
    path: '/metrics',
    tags: ['Health'],
    summary: 'Metrics for Prometheus',
    description: 'On this machine no token is needed, unless the service has a public address.',
    middleware: [requireViewerUnlessLocal()] as const,
    responses: {
      200: {
        description: 'The text format of Prometheus.',
        content: { 'text/plain': { schema: z.string() } },
      },
      ...problems.access,
    },
  });
}

/** GET /metrics. */
export function metricsRoutes(metrics: Metrics, access: Access) {
  return createRouter().openapi(metricsRoute(access), async (c) => {
    const { text, contentType } = await metrics.render();
    return c.text(text, 200, { 'Content-Type': contentType });
  });
}
