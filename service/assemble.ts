/** Assembles the parts of the service. All ways of starting the service use this function. */

import { randomBytes } from 'node:crypto';
import type { ConnectionEngine } from './connections/engine.ts';
import type { Database } from './database.ts';
import type { World } from './donor.ts';
import { createExports } from './exports/export-store.ts';
import { createJobs } from './jobs.ts';
import { createLists } from './lists/list-store.ts';
import { openDonorIndex } from './matcher/donor-index.ts';
import { createMatcher } from './matcher/matcher.ts';
import { readPopulation } from './matcher/population.ts';
import { startMatchingWorker } from './matching-worker.ts';
import { openNetworkService } from './networks/service.ts';
import { openFacts } from './search/facts.ts';
import { openOrganisations } from './search/organisations.ts';
import { shareCommits } from './shared-commits.ts';

export interface AssembleOptions {
  db: Database;
  world: World;
  clock: () => number;
  /** Called with unexpected errors. */
  report: (error: Error) => void;
  engine: ConnectionEngine;
  /** The maximum duration of a bulk add, unless the work itself takes longer. */
  networkJobTimeMs: number;
}

export function assembleService({ engine, networkJobTimeMs, ...parts }: AssembleOptions) {
  const { db, world, clock, report } = parts;
  const donorIndex = openDonorIndex(db, world);
  const facts = openFacts(db);
  const jobs = createJobs(db, clock);
  const matcher = createMatcher(donorIndex);
  return {
    ...parts,
    createId,
    jobs,
    commitTogether: shareCommits(db),
    matching: startMatchingWorker({ db, jobs, matcher, clock, report }),
    lists: createLists(db, clock, createId),
    exports: createExports(db),
    donorIndex,
    facts,
    pieces: [...facts.pieces, readPopulation, ...(engine.pieces ?? [])],
    organisations: openOrganisations(db, world.donorCount),
    networkService: openNetworkService({
      db,
      world,
      engine,
      clock,
      createId,
      jobTimeMs: networkJobTimeMs,
      report,
    }),
  };
}

/** Returns 32 random hexadecimal characters. */
export function createId(): string {
  return randomBytes(16).toString('hex');
}
