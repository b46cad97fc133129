/** The fields of a client. The fields are in a separate file, so that `status` does not load the client operations. */
import { z } from 'zod';
import { runReportSchema } from '../core/run.ts';

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
