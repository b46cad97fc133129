/** The resources that all jobs of Bulk API 2.0 have, for both reading and writing. */

import { Hono } from 'hono';
import type { SalesforceContext, SalesforceEnv } from '../requests/context.ts';
import { type Bulk, type BulkJob, isEnded, type JobList, stateOf, wrongState } from './jobs.ts';

/** The jobs of one kind, and how they are shown. */
export interface BulkJobRoutesOptions<Job extends BulkJob> {
  path: '/jobs/ingest' | '/jobs/query';
  jobs: JobList<Job>;
  bulk: Bulk;
  /** Describes the current state of a job. */
  describe(c: SalesforceContext, bulk: Bulk, job: Job): object;
}

/** Creates a router that shows and deletes jobs, to which each kind adds its own routes. */
export function createBulkJobRouter<Job extends BulkJob>({
  path,
  jobs,
  bulk,
  describe,
}: BulkJobRoutesOptions<Job>): Hono<SalesforceEnv> {
  const router = new Hono<SalesforceEnv>();
  router.get(path, (c) =>
    c.json({
      done: true,
      records: jobs.list().map((job) => describe(c, bulk, job)),
      nextRecordsUrl: null,
    }),
  );
  router.get(`${path}/:id`, (c) => c.json(describe(c, bulk, jobs.get(c.req.param('id')))));
  router.delete(`${path}/:id`, (c) => {
    const job = jobs.get(c.req.param('id'));
    if (!isEnded(stateOf(job, bulk))) throw wrongState('The job is still being processed');
    jobs.remove(job);
    return c.body(null, 204);
  });
  return router;
}
