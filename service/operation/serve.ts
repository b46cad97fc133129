/**
 * Runs the service for an operator. All data is stored durably in a file. When the service stops, all requests in
 * progress still get a response.
 */

import { Hono } from 'hono';
import { BASE_PATH, createApp, DONOR_PAGES } from '../app.ts';
import { assembleService } from '../assemble.ts';
import { openConnectionEngine } from '../connections/engine.ts';
import { createCredits } from '../credits.ts';
import { readPieces } from '../pieces.ts';
import { openRecord } from '../record/store.ts';
import { openRecordedWorld } from '../record/world.ts';
import { openUndamaged } from './damage.ts';
import { refuseMissing } from './file.ts';
import { listen } from './listening.ts';
import { createServiceMetrics } from './metrics.ts';
import { createReadiness } from './readiness.ts';
import { openTeamKeys } from './team-keys.ts';
import { openTeams } from './teams.ts';

/** The options with which an operator runs the service. */
export interface ServiceOptions {
  /** The path of the database file, which must exist. */
  db: string;
  host: string;
  /** The port. 0 means any free port. */
  port: number;
  /**
   * The address at which clients reach the service, for example the address of a proxy. The default address is the
   * service's own address.
   */
  publicUrl?: string | undefined;
  /**
   * The port for `/metrics`, `/healthz` and `/readyz`, which need no key. If the port is null, the service does not
   * offer the three paths.
   */
  operatorPort: number | null;
  /** The number of requests per second for each key. 0 means no limit. */
  rate: number;
  burst: number;
  chargeQueries: boolean;
  chargeSingleAdd: boolean;
  clock: () => number;
  /** Receives unexpected errors. */
  report: (error: Error) => void;
}

export interface RunningService {
  baseUrl: string;
  /** The address of `/metrics` and `/healthz`, or null if they are switched off. */
  operatorUrl: string | null;
  donors: number;
  /** Stops accepting requests, waits for the requests in progress, and closes the database. */
  close(): Promise<void>;
}

/** Starts the service. The promise resolves when the service accepts requests. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { clock, report, host } = options;
  refuseMissing(options.db);
  const db = openUndamaged(options.db);
  try {
    const credits = createCredits(db, clock);
    // Refunds the open charges of the previous process, which has ended and will never complete the charges.
    credits.refundOpen();
    // The service knows its own address only after it has started to listen.
    let rootUrl = options.publicUrl?.replace(/(?<!\/)\/+$/, '') ?? '';
    const world = openRecordedWorld(db, (id) => `${rootUrl}${DONOR_PAGES}/${id}`);
    const donors = openRecord(db).people();
    const metrics = createServiceMetrics(db, { basePath: BASE_PATH, donors, clock });
    const parts = assembleService({
      db,
      world,
      clock,
      report,
      engine: openConnectionEngine(db, world),
      networkJobTimeMs: 0,
    });
    const { app } = createApp({
      ...parts,
      title: 'Partner Data Service',
      edge: [metrics.observe],
      credits,
      keys: openTeamKeys(db, openTeams(db, clock), clock),
      networkPrices: {
        chargeQueries: options.chargeQueries,
        chargeSingleAdd: options.chargeSingleAdd,
      },
      forms: { a: true, b: true },
      jobTimeMs: () => 0,
      rateLimit: { ratePerSecond: options.rate, burst: options.burst, retryAfter: true },
    });
    const service = await listen(app, host, options.port);
    rootUrl ||= service.url;
    readPieces(db, parts.pieces).catch(report);
    const operator = await openOperator(
      metrics,
      createReadiness(db, clock),
      host,
      options.operatorPort,
    ).catch(async (error: unknown) => {
      await service.close();
      throw error;
    });
    return {
      baseUrl: service.url + BASE_PATH,
      operatorUrl: operator?.url ?? null,
      donors,
      async close() {
        await service.close();
        await operator?.close();
        db.close();
      },
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function openOperator(
  metrics: Pick<ReturnType<typeof createServiceMetrics>, 'render'>,
  readiness: () => string | null,
  host: string,
  port: number | null,
) {
  if (port === null) return Promise.resolve(null);
  const app = new Hono();
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', (c) => {
    const problem = readiness();
    return problem === null
      ? c.json({ status: 'ready' }, 200)
      : c.json({ status: 'unavailable', problem }, 503);
  });
  app.get('/metrics', async (c) => {
    const { text, contentType } = await metrics.render();
    return c.body(text, 200, { 'content-type': contentType });
  });
  return listen(app, host, port);
}
