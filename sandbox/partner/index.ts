/** Starts the stand-in for the Partner Data Service. */

import { createHash } from 'node:crypto';
import { readPublicRecord } from '../../people/public-record.ts';
import { createWorld, type World } from '../../people/world.ts';
import { BASE_PATH, createApp } from '../../service/app.ts';
import { assembleService, createId } from '../../service/assemble.ts';
import { type ConnectionEngine, openConnectionEngine } from '../../service/connections/engine.ts';
import { createCredits } from '../../service/credits.ts';
import type { Database } from '../../service/database.ts';
import type { PathForms } from '../../service/enhancements.ts';
import { createKeys } from '../../service/keys.ts';
import { readPieces } from '../../service/pieces.ts';
import type { SettlingProgress } from '../../service/settled-people.ts';
import { createParts, type SandboxOptions, worldPlanOf } from '../../testbed/options.ts';
import { createRequestLog } from '../../testbed/request-log.ts';
import { serve } from '../../testbed/serving.ts';
import { controlRoutes, startingBalances } from './control.ts';
import { createEdge, type RequestDetails } from './edge.ts';
import { partnerFaultRulesSchema } from './faults.ts';
import { networkControlRoutes } from './network-control.ts';
import { openSettled } from './open-settled.ts';

const DEFAULT_CREDITS = 100_000;
const DEFAULT_JOB_TIME_MS = 4000;
const DEFAULT_NETWORK_JOB_TIME_MS = 4000;
/**
 * The default rate limit of the service: the number of requests per second and in a burst (service document, section
 * 8).
 */
const DEFAULT_RATE = 10;
const DEFAULT_BURST = 10;

const DEFAULT_TEAM = 'team-default';

/** The behaviour of the stand-in. Every option has a default value. */
export interface PartnerSandboxOptions extends SandboxOptions {
  /** The number of contacts. The default is the number of donors. */
  contacts?: number;
  /** A folder with a public record (people/public-record.ts), which adds real people as donors. */
  data?: string;
  /** The maximum number of requests per second for each key. 0 means no limit. The default is 10. */
  rate?: number;
  /** The number of requests in a burst. The default is 10. */
  burst?: number;
  /** True if a 429 response has a `Retry-After` header. The default is true. */
  retryAfter?: boolean;
  /** The additional time (ms) of submissions that cost credits. The default is 0. */
  submitLatencyMs?: number;
  /**
   * The maximum duration of a job (ms). Most jobs take slightly less time. The default is 4,000. If the value is a
   * function, the stand-in calls it for each job.
   */
  jobTimeMs?: number | (() => number);
  /** The maximum duration of a bulk add (ms), unless the work itself takes longer. The default is 4,000. */
  networkJobTimeMs?: number;
  /** True if each discover, compare, donor connections and lookup request costs a credit. The default is false. */
  chargeQueries?: boolean;
  /** True if adding a single donor to a network costs a credit. The default is false. */
  chargeSingleAdd?: boolean;
  /** Computes which donors are connected. By default, connections are computed from the people's roles and gifts. */
  engine?: ConnectionEngine;
  /** The number of credits in each bucket of a new team. The default is 100,000. */
  credits?: number;
  /** The forms of the enhancement paths that the service offers. By default, it offers both forms. */
  forms?: PathForms;
  /**
   * Receives the number of people that have been stored in a new database. By default, the number is printed to
   * standard error.
   */
  progress?: SettlingProgress;
}

/** A running stand-in. */
export interface PartnerSandbox {
  /** The `{base_url}` in the service document, without a trailing slash. */
  baseUrl: string;
  /** The address that contains `/_sandbox`. */
  rootUrl: string;
  /** A key of the first team. */
  apiKey: string;
  /** Stops immediately. Open connections are cut, and the database is closed. */
  close(): Promise<void>;
}

/** Starts a stand-in. The promise resolves when the stand-in accepts requests. */
export async function startPartnerSandbox(
  options: PartnerSandboxOptions = {},
): Promise<PartnerSandbox> {
  const world = worldOf(options);
  const db = openSettled(world, {
    file: options.db,
    // If the people come from another source, they may differ next time, even with the same seed and number.
    isKept: options.world === undefined && options.data === undefined,
    progress: options.progress ?? tellProgress,
  });
  try {
    const app = assemble(db, world, options);
    const apiKey = issueFirstKey(app);
    const { rootUrl, close } = await serve(withControls(app), db, options);
    readPieces(db, app.pieces).catch(app.report);
    return {
      baseUrl: rootUrl + BASE_PATH,
      rootUrl,
      apiKey,
      close,
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function assemble(db: Database, world: World, options: PartnerSandboxOptions) {
  const parts = createParts(
    { ...options, world },
    { rulesSchema: partnerFaultRulesSchema, basePath: BASE_PATH },
  );
  const { jobTimeMs = DEFAULT_JOB_TIME_MS } = options;
  const requests = createRequestLog<RequestDetails>();
  const credits = createCredits(db, parts.clock);
  credits.refundOpen();
  const controls = {
    ...parts,
    requests,
    credits,
    keys: createKeys(db),
    contactCount: options.contacts ?? world.donorCount,
    startCredits: options.credits ?? DEFAULT_CREDITS,
    createId,
  };
  const forms = options.forms ?? { a: true, b: true };
  return {
    ...assembleService({
      db,
      world,
      clock: parts.clock,
      report: parts.report,
      networkJobTimeMs: options.networkJobTimeMs ?? DEFAULT_NETWORK_JOB_TIME_MS,
      engine: options.engine ?? openConnectionEngine(db, world),
    }),
    title: 'Partner Data Service (sandbox)',
    edge: createEdge({
      ...parts,
      db,
      requests,
      forms,
      submitLatencyMs: options.submitLatencyMs ?? 0,
    }),
    credits,
    keys: controls.keys,
    networkPrices: {
      chargeQueries: options.chargeQueries ?? false,
      chargeSingleAdd: options.chargeSingleAdd ?? false,
    },
    forms,
    jobTimeMs: typeof jobTimeMs === 'number' ? () => jobTimeMs : jobTimeMs,
    rateLimit: {
      ratePerSecond: options.rate ?? DEFAULT_RATE,
      burst: options.burst ?? DEFAULT_BURST,
      retryAfter: options.retryAfter ?? true,
    },
    controls,
  };
}

/** Creates the service with the controls below `/_sandbox`. */
function withControls(options: ReturnType<typeof assemble>) {
  const { app, page } = createApp(options);
  app.route('/_sandbox', controlRoutes(options.controls));
  app.route('/_sandbox/networks', networkControlRoutes(options.networkService));
  app.get('/_sandbox/docs', (c) => c.html(page()));
  return app;
}

function worldOf(options: PartnerSandboxOptions): World {
  const { world, data } = options;
  if (world !== undefined) return world;
  return createWorld({
    ...worldPlanOf(options),
    ...(data === undefined ? {} : { realPeople: readPublicRecord(data) }),
  });
}

/** Prints the progress. The function prints nothing for small worlds, because they are stored quickly. */
function tellProgress(settled: number, total: number): void {
  process.stderr.write(`Settled ${settled} of ${total} donors\n`);
}

/** Creates the first key. After a restart, the first key is the same, so settings with this key stay valid. */
function issueFirstKey({ controls, world }: ReturnType<typeof assemble>): string {
  const { keys, credits, startCredits } = controls;
  const hash = createHash('sha256').update(`first key of seed ${world.seed}`).digest('hex');
  const apiKey = `sandbox-${hash.slice(0, 32)}`;
  if (keys.find(apiKey) === undefined) {
    keys.issue({ apiKey, team: DEFAULT_TEAM, deactivatesOn: null });
    credits.grant(DEFAULT_TEAM, startingBalances(startCredits));
  }
  return apiKey;
}
