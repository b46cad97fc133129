/** The resources of Bulk API 2.0 that jobs for reading and jobs for writing share. */

import { Hono } from 'hono';
import type { SalesforceContext, SalesforceEnv } from '../requests/context.ts';
import { type Bulk, type BulkJob, isEnded, type JobList, stateOf, wrongState } from './jobs.ts';

/** The jobs of one kind, and a function that describes them. */
export interface BulkJobRoutesOptions<Job extends BulkJob> {
  path: '/jobs/ingest' | '/jobs/query';
  jobs: JobList<Job>;
  bulk: Bulk;
  /** Describes the current state of a job. */
  describe(c: SalesforceContext, bulk: Bulk, job: Job): object;
}

/** Creates a router that returns and deletes jobs. Each kind of job adds its own routes. */
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
