import { z } from 'zod';
import { type ValuesWaiting, valuesWaitingSchema } from './waiting-values.ts';

/** The reason for which a run started. */
export type Trigger = 'schedule' | 'manual' | 'webhook';

export type RunStatus = 'running' | 'succeeded' | 'incomplete' | 'failed';

/** Why a run stopped early. The next run continues from there. */
export type StopCode =
  | 'credits_exhausted'
  | 'budget_reached'
  | 'partner_key_rejected'
  | 'partner_key_expired'
  | 'partner_unavailable'
  | 'crm_unauthorized'
  | 'crm_limit_reached'
  | 'crm_unavailable'
  | 'interrupted'
  | 'match_rate_low'
  | 'contacts_missing'
  | 'journal_unwritable'
  | 'marks_unconfirmed'
  | 'clock_wrong'
  | 'store_replaced'
  | 'restore_unconfirmed'
  | 'store_does_not_know_crm'
  | 'lease_lost'
  | 'stopped_by_person';

/** Why a run ended as `incomplete` or `failed`. */
export interface RunReason {
  code: StopCode | (string & {});
  message: string;
}

/** The reason of a run that a user has stopped. */
export const STOPPED_BY_PERSON = {
  code: 'stopped_by_person',
  message: 'A user stopped the run. The next run continues from here.',
} as const satisfies RunReason;

/** One credit bucket in a report. `remaining` is null if it has not been read yet. */
export interface BucketReport {
  spent: number;
  remaining: number | null;
}

/** The report of a run, exactly as in design, section 4.3. */
export interface RunReport {
  id: string;
  integration: string;
  trigger: Trigger;
  status: RunStatus;
  reason: RunReason | null;
  /** When the run started (ISO 8601, UTC). */
  startedAt: string;
  finishedAt: string | null;
  contacts: {
    read: number;
    chosen: number;
    submitted: number;
    enhanced: number;
    written: number;
    unchanged: number;
    skipped: number;
    failed: number;
    held: number;
    waiting: number;
  };
  credits: { enhancements: BucketReport; networks: BucketReport };
  networks: { name: string; added: number; removed: number; kept: number; failed: number }[];
  calls: { partner: number; crm: number; throttled: number };
  /** Paid values that were waiting to be written when the run ended. Omitted before the end, and for older runs. */
  valuesWaiting?: ValuesWaiting | undefined;
  /** The undo of the run. Omitted if it was not undone. `contacts.written` does not change. */
  undone?: UndoneMark | undefined;
}

/** The part of a run that was undone, by all its undos together. */
export interface UndoneMark {
  /** When a value was last restored (ISO 8601). */
  at: string;
  /** The user's name. Null while the undo is in progress, or for a user of the machine without a name. */
  by: string | null;
  /** The number of restored values. */
  values: number;
  /** The number of values that were left alone, because they had changed since the run. */
  kept: number;
  /** The number of contacts whose values were all restored. */
  contacts: number;
}

/** The report of a run in the form in which it is stored and returned by the API (design, section 4.3). */

const count = z.int().nonnegative();

const bucketSchema = z.object({
  spent: count,
  remaining: count.nullable().describe('Null if not yet read.'),
});

export const triggerSchema = z.enum(['schedule', 'manual', 'webhook']);

export const runStatusSchema = z.enum(['running', 'succeeded', 'incomplete', 'failed']);

export const runReportSchema = z.object({
  id: z.string(),
  integration: z.string(),
  trigger: triggerSchema,
  status: runStatusSchema.describe(
    '`running`: in progress or queued. `incomplete`: stopped early, and the next run continues.',
  ),
  reason: z.object({ code: z.string(), message: z.string() }).nullable(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  contacts: z.object({
    read: count,
    chosen: count,
    submitted: count,
    enhanced: count,
    written: count,
    unchanged: count,
    skipped: count,
    failed: count,
    held: count,
    waiting: count,
  }),
  credits: z.object({ enhancements: bucketSchema, networks: bucketSchema }),
  networks: z.array(
    z.object({ name: z.string(), added: count, removed: count, kept: count, failed: count }),
  ),
  calls: z.object({ partner: count, crm: count, throttled: count }),
  valuesWaiting: valuesWaitingSchema
    .optional()
    .describe(
      'Values that were waiting to be written when the run ended; left out before its end.',
    ),
  undone: z
    .object({
      at: z.iso.datetime().describe('When a value was last restored'),
      by: z
        .string()
        .nullable()
        .describe('The name of the user; null while the undo is in progress, or without a name'),
      values: count.describe('Restored values'),
      kept: count.describe('Values that were left alone, because they had changed since the run'),
      contacts: count.describe('Contacts whose values were all restored'),
    })
    .optional()
    .describe('The undo of the run; left out if it was not undone. `contacts.written` stays.'),
}) satisfies z.ZodType<RunReport>;

/** An integration for which a run is requested. */
export interface AskedRun {
  integrationId: string;
  /** True if it is requested by more than a schedule. */
  isUrgent: boolean;
}
