/** Assembles the parts of networks: members, connections, jobs and searches. */

import type { ConnectionEngine } from '../connections/engine.ts';
import type { Database } from '../database.ts';
import type { World } from '../donor.ts';
import { type BulkJobs, createBulkJobs } from './bulk-jobs.ts';
import { type JobWorker, startJobWorker } from './job-worker.ts';
import { createMembers, type Members } from './members.ts';
import { createNetworks, type Networks } from './networks.ts';
import { createSearches, type Searches } from './searches.ts';
import { createStoredConnections } from './stored-connections.ts';

export interface NetworkServiceOptions {
  db: Database;
  world: World;
  engine: ConnectionEngine;
  clock: () => number;
  /** Returns 32 random hexadecimal characters. */
  createId: () => string;
  /** The maximum duration of a bulk add, unless the work itself takes longer. */
  jobTimeMs: number;
  /** Receives unexpected errors. */
  report: (error: Error) => void;
}

/** The parts that the endpoints use. */
export interface NetworkService {
  db: Database;
  world: World;
  networks: Networks;
  members: Members;
  jobs: BulkJobs;
  worker: JobWorker;
  searches: Searches;
}

/** Opens the networks in a database and continues the jobs that are not finished. */
export function openNetworkService(options: NetworkServiceOptions): NetworkService {
  const { db, world, engine } = options;
  const stored = createStoredConnections(db, engine);
  const networks = createNetworks(db, options);
  const members = createMembers(db, stored);
  const jobs = createBulkJobs(db, options);
  const worker = startJobWorker({ ...options, networks, members, jobs });
  const searches = createSearches({ world, engine, members, stored });
  return { db, world, networks, members, jobs, worker, searches };
}
