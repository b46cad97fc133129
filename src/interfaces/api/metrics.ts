/** GET /metrics: the service's state for Prometheus. */

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { listHooks } from '../../clients/statements/hooks.ts';
import { listLastSuccesses } from '../../clients/statements/run-activity.ts';
import type { RunReport } from '../../core/run.ts';
import type { Reader } from '../../database/reader.ts';
import { listStoredApprovals } from '../../decisions/statements/approvals.ts';
import { countOpenQuestions } from '../../decisions/statements/questions.ts';
import { readAuditEnd } from '../../privacy/audit/read-audit.ts';
import { listRunRequests } from '../../sync/statements/run-requests.ts';
import { listNewestRuns } from '../../sync/statements/runs.ts';
import { type RunFacts, readRemaining } from '../../sync/views/run.ts';
import { readReasons } from '../../sync/views/run-contacts.ts';
import { createRunDigests } from '../../sync/views/run-digests.ts';
import type { Access } from './access.ts';
import { hasAccess } from './request/client-access.ts';
import type { HttpDeps, HttpEnv, Principal } from './request/context.ts';
import type { AnsweredRequest } from './request/guards.ts';
import { createRouter, problems } from './request/router.ts';

export interface Metrics {
  noteRequest(request: AnsweredRequest): void;
  /** Counts a run that has ended. */
  noteRun(report: RunReport): Promise<void>;
  render(): Promise<{ text: string; contentType: string }>;
}

type MetricDeps = Pick<HttpDeps, 'application' | 'clock' | 'lastTickAt'>;

/** Creates the metrics. Each HTTP service has its own registry. */
export function createMetrics(deps: MetricDeps): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counters = createCounters(registers);
  const duration = new Histogram({
    name: 'donor_sync_http_request_seconds',
    help: 'Time until the response to a request.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.2, 1, 5],
    registers,
  });
  addGauges(deps, registers);
  const all = Registry.merge([metricsOfProcess(), registry]);

  return {
    noteRequest({ method, route, status, timeMs }) {
      duration.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, timeMs / 1_000);
    },
    async noteRun(report) {
      const { id, integration } = report;
      countRun(counters, report);
      for (const { outcome, reason, count } of await readReasons(
        deps.application.store.reader,
        id,
      )) {
        if (outcome !== null) counters.contacts.inc({ integration, outcome, reason }, count);
      }
    },
    render: async () => ({ text: await all.metrics(), contentType: all.contentType }),
  };
}

let ofProcess: Registry | undefined;

/** Returns the metrics of the process's resources. Collecting starts only once, because it cannot be stopped. */
function metricsOfProcess(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** Creates the counters, which count while the process runs. */
function createCounters(registers: Registry[]) {
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `donor_sync_${name}_total`, help, labelNames, registers });
  return {
    runs: counter('runs', 'Runs that have ended.', 'integration', 'trigger', 'status'),
    contacts: counter(
      'contacts',
      'Contacts that runs processed, by outcome and reason.',
      ...['integration', 'outcome', 'reason'],
    ),
    calls: counter(
      'calls',
      'Requests to the Partner Data Service and to CRMs.',
      ...['integration', 'to'],
    ),
    throttled: counter(
      'throttled_calls',
      'Requests that were refused with a time to retry.',
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

const DAY_MS = 86_400_000;

const BUCKETS = ['enhancements', 'networks'] as const;

/** The number of recent runs that are searched for a balance. */
const RUNS_WITH_BALANCE = 5;

interface RunDigest {
  remaining: RunFacts['remaining'];
  /** The time of the last successful run in epoch milliseconds, or null if no run has succeeded. */
  succeededAt: number | null;
}

async function readDigests(
  reader: Reader,
  ids: readonly string[],
): Promise<Map<string, RunDigest>> {
  const successes = await listLastSuccesses(reader, ids);
  const newest = await listNewestRuns(reader, ids, RUNS_WITH_BALANCE);
  return new Map(
    ids.map((id) => {
      const balances = (newest.get(id) ?? []).map(readRemaining);
      const latest = (bucket: (typeof BUCKETS)[number]) =>
        balances.map((one) => one[bucket]).find((left) => left !== null) ?? null;
      const remaining = { enhancements: latest('enhancements'), networks: latest('networks') };
      return [id, { remaining, succeededAt: successes.get(id) ?? null }];
    }),
  );
}

/** Adds the gauges. The gauges are read at each scrape, so they include other processes' runs. */
function addGauges({ application, clock, lastTickAt }: MetricDeps, registers: Registry[]): void {
  const { store, integrations } = application;

  const digests = createRunDigests(store.reader, (ids) => readDigests(store.reader, ids));

  gauge('donor_sync_credits_remaining', 'Credits left, according to the last run.', {
    labelNames: ['integration', 'bucket'],
    async collect(set) {
      for (const [integration, { remaining }] of await digests([...integrations.keys()])) {
        for (const bucket of BUCKETS) {
          const left = remaining[bucket];
          if (left !== null) set({ integration, bucket }, left);
        }
      }
    },
  });
  gauge('donor_sync_last_success_age_seconds', 'Time since the end of the last successful run.', {
    labelNames: ['integration'],
    async collect(set) {
      for (const [integration, { succeededAt }] of await digests([...integrations.keys()])) {
        if (succeededAt !== null) set({ integration }, (clock.now() - succeededAt) / 1_000);
      }
    },
  });
  gauge('donor_sync_run_requests', 'Requested runs that are queued.', {
    labelNames: ['integration'],
    async collect(set) {
      const requests = Map.groupBy(await listRunRequests(store.reader), (row) => row.integrationId);
      for (const integration of integrations.keys()) {
        set({ integration }, requests.get(integration)?.length ?? 0);
      }
    },
  });
  gauge('donor_sync_queue_requests', 'Queued runs of all integrations.', {
    labelNames: [],
    collect: async (set) => set({}, (await listRunRequests(store.reader)).length),
  });
  gauge('donor_sync_queue_oldest_seconds', 'How long the oldest queued run has been waiting.', {
    labelNames: [],
    async collect(set) {
      const waiting = (await listRunRequests(store.reader)).map(({ requestedAt }) => requestedAt);
      const oldest = waiting.reduce((least, at) => Math.min(least, at), clock.now());
      set({}, (clock.now() - oldest) / 1_000);
    },
  });
  gauge('donor_sync_runs_active', 'Runs in progress, by the host that works on them.', {
    labelNames: ['host'],
    async collect(set) {
      for (const [host, count] of await store.leases.countByHost()) set({ host }, count);
    },
  });
  gauge(
    'donor_sync_webhook_contacts_ignored',
    'Contacts in webhook calls that the CRM does not have, since the address was created.',
    {
      labelNames: ['integration'],
      async collect(set) {
        for (const { integrationId, ignoredCount } of await listHooks(store.reader)) {
          if (integrations.has(integrationId)) set({ integration: integrationId }, ignoredCount);
        }
      },
    },
  );
  gauge('donor_sync_holds', 'Contacts and networks that are waiting for a decision.', {
    labelNames: ['integration', 'about'],
    async collect(set) {
      const contacts = await countOpenQuestions(store.reader, 'contact');
      const networks = await countOpenQuestions(store.reader, 'network');
      for (const integration of integrations.keys()) {
        set({ integration, about: 'contact' }, contacts.get(integration) ?? 0);
        set({ integration, about: 'network' }, networks.get(integration) ?? 0);
      }
    },
  });
  gauge('donor_sync_approvals', 'Requests that are waiting for a second user.', {
    labelNames: ['integration'],
    async collect(set) {
      const approvals = await listStoredApprovals(store);
      const waiting = approvals.filter(({ confirmedBy }) => confirmedBy === null);
      const byIntegration = Map.groupBy(waiting, (one) => one.integrationId);
      for (const integration of integrations.keys()) {
        set({ integration }, byIntegration.get(integration)?.length ?? 0);
      }
    },
  });
  gauge('donor_sync_audit_entries', 'The number of the last entry of the audit; it never falls.', {
    labelNames: [],
    async collect(set) {
      const end = await readAuditEnd(store);
      if (end !== null) set({}, end.seq);
    },
  });
  let noted: { day: number; seq: number; place: string } | null = null;
  gauge(
    'donor_sync_audit_end',
    'The end of the audit at the first scrape of the day (UTC), for `audit verify --known`; 0 if donor-sync has not signed it.',
    {
      labelNames: ['end'],
      async collect(set) {
        const day = Math.floor(clock.now() / DAY_MS);
        const end = await readAuditEnd(store);
        // The label changes once a day, because each new value creates a new time series.
        if (end !== null && noted?.day !== day) {
          noted = { day, seq: end.seq, place: `${end.seq}:${end.hash}` };
        }
        if (end !== null && noted !== null) {
          set({ end: noted.place }, end.isSigned && end.seq >= noted.seq ? 1 : 0);
        }
      },
    },
  );
  gauge('donor_sync_last_tick_age_seconds', 'Time since the schedules were last checked.', {
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
        // After the reset, removed integrations no longer have a metric.
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
    description:
      'On this machine no token is needed, unless the service has a public address. A token for some clients does not receive the lines of other clients.',
    middleware: [requireViewerUnlessLocal()] as const,
    responses: {
      200: {
        description: 'Prometheus text format.',
        content: { 'text/plain': { schema: z.string() } },
      },
      ...problems.access,
    },
  });
}

export function metricsRoutes(metrics: Metrics, access: Access) {
  return createRouter().openapi(metricsRoute(access), async (c) => {
    const { text, contentType } = await metrics.render();
    return c.text(seenBy(c, text), 200, { 'Content-Type': contentType });
  });
}

/**
 * Removes the lines of integrations to which the caller has no access. A local scrape without a token gets all lines.
 */
function seenBy(c: Context<HttpEnv>, text: string): string {
  const principal: Principal | undefined = c.get('principal');
  if (principal === undefined || principal.integrations === null) return text;
  return text
    .split('\n')
    .filter((line) => {
      const id = /[{,]integration="([^"]*)"/.exec(line)?.[1];
      return id === undefined || hasAccess(c, id);
    })
    .join('\n');
}
