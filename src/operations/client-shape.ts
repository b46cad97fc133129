/**
 * The description of a client in results. It is in a separate file, because `status` should not load the operations on
 * clients.
 */
import { z } from 'zod';
import { runReportSchema } from '../core/run.ts';

/** The schedule of a client, in results about the client. */
export const clientScheduleSchema = z.object({
  cron: z.string(),
  timezone: z.string(),
  nextRunAt: z.iso.datetime().nullable(),
  paused: z.boolean(),
});

/** The fields that every list of clients shows. */
export const integrationShape = {
  id: z.string(),
  name: z.string().nullable(),
  crm: z.string().describe('The kind of CRM, such as salesforce'),
  schedule: clientScheduleSchema.nullable().describe('Null if the client runs only on request'),
  lastRun: runReportSchema.nullable(),
  lastSuccessAt: z.iso.datetime().nullable(),
};
