/** Starts the stand-in for the Partner Data Service. */

import { createHash, randomBytes } from 'node:crypto';
import { readPublicRecord } from '../people/public-record.ts';
import { createWorld, type World } from '../people/world.ts';
import { createParts, type SandboxOptions, worldPlanOf } from '../testbed/options.ts';
import { createRequestLog } from '../testbed/request-log.ts';
import { serve } from '../testbed/serving.ts';
import { type AppOptions, BASE_PATH, createApp } from './app.ts';
import { type ConnectionEngine, openConnectionEngine } from './connections/engine.ts';
import { startingBalances } from './control.ts';
import { createCredits } from './credits.ts';
import type { Database } from './database.ts';
import type { PathForms } from './enhancements.ts';
import { createExports } from './exports/export-store.ts';
import { partnerFaultRulesSchema } from './faults.ts';
import { createJobs } from './jobs.ts';
import { createKeys } from './keys.ts';
import { createLists } from './lists/list-store.ts';
import { openDonorIndex } from './matcher/donor-index.ts';
import { createMatcher } from './matcher/matcher.ts';
import { openNetworkService } from './networks/service.ts';
import { openSettled } from './open-settled.ts';
import { openFacts } from './search/facts.ts';
import { openOrganisations } from './search/organisations.ts';
import type { SettlingProgress } from './settled-people.ts';

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
    const { rootUrl, close } = await serve(createApp(app), db, options);
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

function assemble(db: Database, world: World, options: PartnerSandboxOptions): AppOptions {
  const parts = createParts(
    { ...options, world },
    { rulesSchema: partnerFaultRulesSchema, basePath: BASE_PATH },
  );
  const { clock, report } = parts;
  const { jobTimeMs = DEFAULT_JOB_TIME_MS } = options;
  const donorIndex = openDonorIndex(db, world);
  return {
    ...parts,
    db,
    submitLatencyMs: options.submitLatencyMs ?? 0,
    credits: createCredits(db, clock),
    keys: createKeys(db),
    jobs: createJobs(db, clock),
    lists: createLists(db, clock, createId),
    exports: createExports(db),
    donorIndex,
    facts: openFacts(db),
    organisations: openOrganisations(db, world.donorCount),
    matcher: createMatcher(donorIndex),
    networkService: openNetworkService({
      db,
      world,
      engine: options.engine ?? openConnectionEngine(db, world),
      clock,
      createId,
      jobTimeMs: options.networkJobTimeMs ?? DEFAULT_NETWORK_JOB_TIME_MS,
      report,
    }),
    networkPrices: {
      chargeQueries: options.chargeQueries ?? false,
      chargeSingleAdd: options.chargeSingleAdd ?? false,
    },
    requests: createRequestLog(),
    createId,
    contactCount: options.contacts ?? world.donorCount,
    startCredits: options.credits ?? DEFAULT_CREDITS,
    forms: options.forms ?? { a: true, b: true },
    jobTimeMs: typeof jobTimeMs === 'number' ? () => jobTimeMs : jobTimeMs,
    rateLimit: {
      ratePerSecond: options.rate ?? DEFAULT_RATE,
      burst: options.burst ?? DEFAULT_BURST,
      retryAfter: options.retryAfter ?? true,
    },
  };
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

function createId(): string {
  return randomBytes(16).toString('hex');
}

/** A restarted sandbox has the same first key, so settings that name it stay valid. */
function issueFirstKey({ keys, credits, world, startCredits }: AppOptions): string {
  const hash = createHash('sha256').update(`first key of seed ${world.seed}`).digest('hex');
  const apiKey = `sandbox-${hash.slice(0, 32)}`;
  if (keys.find(apiKey) === undefined) {
    keys.issue({ apiKey, team: DEFAULT_TEAM, deactivatesOn: null });
    credits.grant(DEFAULT_TEAM, startingBalances(startCredits));
  }
  return apiKey;
}
