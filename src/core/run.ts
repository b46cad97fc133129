/** What started a run. */
export type Trigger = 'schedule' | 'manual' | 'webhook';

export type RunStatus = 'running' | 'succeeded' | 'incomplete' | 'failed';

/** Why a run stopped before its end; the next run goes on from there. */
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
  | 'clock_wrong'
  | 'store_replaced'
  | 'store_does_not_know_crm'
  | 'lease_lost';

/** Why a run ended as `incomplete` or `failed`. */
export interface RunReason {
  code: StopCode | (string & {});
  message: string;
}

/** One credit bucket in a report; `remaining` is null if not yet read. */
export interface BucketReport {
  spent: number;
  remaining: number | null;
}

/** What a run reports: design, section 4.3, to the letter. */
export interface RunReport {
  id: string;
  integration: string;
  trigger: Trigger;
  status: RunStatus;
  reason: RunReason | null;
  /** ISO 8601 in UTC. */
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
}
