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
/** The service's limit: requests a second, and at once (service document, section 8). */
const DEFAULT_RATE = 10;
const DEFAULT_BURST = 10;

const DEFAULT_TEAM = 'team-default';

/** How the stand-in behaves; everything has a default. */
export interface PartnerSandboxOptions extends SandboxOptions {
  /** How many people the contact list has; as many as donors by default. */
  contacts?: number;
  /** A folder with a public record (people/public-record.ts): real people as further donors. */
  data?: string;
  /** Requests a second for each key, 0 for no limit; 10 by default. */
  rate?: number;
  /** Requests at once; 10 by default. */
  burst?: number;
  /** Whether 429 carries Retry-After; true by default. */
  retryAfter?: boolean;
  /** The paid submit of persons takes so much longer than other requests; 0 by default. */
  submitLatencyMs?: number;
  /** No job takes longer, most a little less; 4,000 by default. A function is asked for each job. */
  jobTimeMs?: number | (() => number);
  /** No bulk add to a network takes longer, unless the work itself does; 4,000 by default. */
  networkJobTimeMs?: number;
  /** Whether discover, compare, donor connections and lookup cost a credit; false by default. */
  chargeQueries?: boolean;
  /** Whether adding a single donor to a network costs a credit; false by default. */
  chargeSingleAdd?: boolean;
  /** Which donors are connected; computed from the people by default. */
  engine?: ConnectionEngine;
  /** What each bucket of a new team holds; 100,000 by default. */
  credits?: number;
  /** Which forms of the enhancement paths exist; both by default. */
  forms?: PathForms;
  /** Hears how many people are settled in a new database; standard error by default. */
  progress?: SettlingProgress;
}

/** A stand-in that is serving. */
export interface PartnerSandbox {
  /** The document's {base_url}; no slash at its end. */
  baseUrl: string;
  /** Where `/_sandbox` is found. */
  rootUrl: string;
  /** A key of the first team. */
  apiKey: string;
  /** Ends at once: open connections are cut, the database is closed. */
  close(): Promise<void>;
}

/** Starts a stand-in; resolves when it serves. */
export async function startPartnerSandbox(
  options: PartnerSandboxOptions = {},
): Promise<PartnerSandbox> {
  const world = worldOf(options);
  const db = openSettled(world, {
    file: options.db,
    // People from elsewhere may be others next time under the same description.
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

/** The service, and beside it `/_sandbox`. */
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

/** Only large worlds take so long that anybody hears of it. */
function tellProgress(settled: number, total: number): void {
  process.stderr.write(`Settled ${settled} of ${total} donors\n`);
}

/** A restarted sandbox has the same first key, so settings that name it stay valid. */
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
