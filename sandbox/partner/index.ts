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
/** The service's limit: requests per second, and in a burst (service document, section 8). */
const DEFAULT_RATE = 10;
const DEFAULT_BURST = 10;

const DEFAULT_TEAM = 'team-default';

/** The behaviour of the stand-in. Every option has a default. */
export interface PartnerSandboxOptions extends SandboxOptions {
  /** Defaults to the number of donors. */
  contacts?: number;
  /** A folder with a public record (people/public-record.ts), which adds real people as donors. */
  data?: string;
  /** Requests per second for each key. 0 means no limit. Defaults to 10. */
  rate?: number;
  /** The number of requests in a burst. Defaults to 10. */
  burst?: number;
  /** True if a 429 has a Retry-After header. Defaults to true. */
  retryAfter?: boolean;
  /** The additional time (ms) that the paid submission of people takes. Defaults to 0. */
  submitLatencyMs?: number;
  /**
   * The maximum duration of a job. Most jobs take slightly less time. Defaults to 4,000. A function is called for each
   * job.
   */
  jobTimeMs?: number | (() => number);
  /** The maximum time of a bulk add to a network, unless the work itself takes longer. Defaults to 4,000. */
  networkJobTimeMs?: number;
  /** True if discover, compare, donor connections and lookup cost a credit. Defaults to false. */
  chargeQueries?: boolean;
  /** True if adding a single donor to a network costs a credit. Defaults to false. */
  chargeSingleAdd?: boolean;
  /** Determines which donors are connected. By default this is computed from the people. */
  engine?: ConnectionEngine;
  /** The number of credits in each bucket of a new team. Defaults to 100,000. */
  credits?: number;
  /** The forms of the enhancement paths that the service has. Defaults to both. */
  forms?: PathForms;
  /**
   * Receives the number of people settled in a new database. Default: prints it to standard error.
   */
  progress?: SettlingProgress;
}

/** A running stand-in. */
export interface PartnerSandbox {
  /** The service document's {base_url}, without a slash at the end. */
  baseUrl: string;
  /** The address under which `/_sandbox` is found. */
  rootUrl: string;
  /** A key of the first team. */
  apiKey: string;
  /** Stops immediately: cuts open connections and closes the database. */
  close(): Promise<void>;
}

/** Starts a stand-in. Resolves when it accepts requests. */
export async function startPartnerSandbox(
  options: PartnerSandboxOptions = {},
): Promise<PartnerSandbox> {
  const world = worldOf(options);
  const db = openSettled(world, {
    file: options.db,
    // People from another source may differ next time, even with the same seed and number.
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

/** Creates the service together with `/_sandbox`. */
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

/** Only large worlds take so long that this prints anything. */
function tellProgress(settled: number, total: number): void {
  process.stderr.write(`Settled ${settled} of ${total} donors\n`);
}

/** A restarted sandbox has the same first key, so settings that contain it stay valid. */
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
