import { z } from 'zod';
import { type ValuesWaiting, valuesWaitingSchema } from './waiting-values.ts';

/** The cause that started a run. */
export type Trigger = 'schedule' | 'manual' | 'webhook';

export type RunStatus = 'running' | 'succeeded' | 'incomplete' | 'failed';

/** The reason why a run stopped early. The next run continues where the run stopped. */
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

/** The reason why a run ended as `incomplete` or `failed`. */
export interface RunReason {
  code: StopCode | (string & {});
  message: string;
}

/** The stop reason of a run that a user has stopped. */
export const STOPPED_BY_PERSON = {
  code: 'stopped_by_person',
  message: 'A user stopped the run. The next run continues from here.',
} as const satisfies RunReason;

/** A credit bucket in a run's report. `remaining` is null before the first reading of the balance. */
export interface BucketReport {
  spent: number;
  remaining: number | null;
}

/** The report of a run, as defined in design, section 4.3. */
export interface RunReport {
  id: string;
  integration: string;
  trigger: Trigger;
  status: RunStatus;
  reason: RunReason | null;
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
  /**
   * Paid values that still waited to be written at the end of the run. Omitted for runs in progress and for older runs.
   */
  valuesWaiting?: ValuesWaiting | undefined;
  /** The undone part of the run. Omitted if nothing was undone. `contacts.written` does not change. */
  undone?: UndoneMark | undefined;
}

/** The undone part of a run. Several undos may have restored parts of the run. */
export interface UndoneMark {
  at: string;
  /**
   * The name of the user who undid the run. Null while the undo is in progress, or if a user of the terminal has no
   * name.
   */
  by: string | null;
  /** The number of restored values. */
  values: number;
  /** The number of values that the undo did not restore, because someone had changed them since the run. */
  kept: number;
  /** The number of contacts whose values were all restored. */
  contacts: number;
}

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

export interface AskedRun {
  integrationId: string;
  /** True if a user or a webhook has also made the same request. */
  isUrgent: boolean;
}
