/** Metrics of a service for Prometheus: totals and durations. The metrics contain no data about teams or people. */

import type { MiddlewareHandler } from 'hono';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PartnerEnv } from '../context.ts';
import type { Database } from '../database.ts';

export interface ServiceMetrics {
  /** The outermost middleware, which counts a request when the service sends its response. */
  observe: MiddlewareHandler<PartnerEnv>;
  /** Returns all metrics in Prometheus's text format, together with the content type. */
  render(): Promise<{ text: string; contentType: string }>;
}

/**
 * The areas that are counted separately. All other paths are counted together, because callers can invent any number of
 * paths.
 */
const AREAS = new Set([
  'credits',
  'test',
  'donors',
  'enhancements',
  'progress',
  'explanation',
  'networks',
  'lists',
  'exports',
  'search',
]);

export function createServiceMetrics(
  db: Database,
  { basePath, donors, clock }: { basePath: string; donors: number; clock: () => number },
): ServiceMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const seconds = new Histogram({
    name: 'partner_service_request_seconds',
    help: 'Time until the response to a request.',
    labelNames: ['method', 'area', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.2, 1, 5, 20],
    registers,
  });
  const cut = new Counter({
    name: 'partner_service_requests_cut_total',
    help: 'Requests whose caller disconnected before the response.',
    registers,
  });
  new Gauge({ name: 'partner_service_donors', help: 'Donors.', registers }).set(donors);
  const spent = db.prepare<[], { bucket: string; amount: number }>(
    // The number of spent credits, which is equal to the sum of the ledger and changes with each request.
    'select bucket, sum(granted - remaining) amount from balances group by bucket',
  );
  new Gauge({
    name: 'partner_service_credits_spent',
    help: 'Credits that all teams have spent, minus refunds.',
    labelNames: ['bucket'],
    registers,
    collect() {
      for (const { bucket, amount } of spent.all()) this.set({ bucket }, amount);
    },
  });
  return {
    async observe(c, next) {
      const startedAtMs = clock();
      await next();
      if (c.env.incoming.socket.destroyed) {
        cut.inc();
        return;
      }
      const { method, path } = c.req;
      const [first = ''] = path.slice(basePath.length + 1).split('/');
      const area = AREAS.has(first) ? first : 'other';
      const status = `${Math.floor(c.res.status / 100)}xx`;
      seconds.observe({ method, area, status }, (clock() - startedAtMs) / 1_000);
    },
    render: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  };
}
