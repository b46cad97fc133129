import type { Clock } from '../core/clock.ts';
import { contactQueries } from './contacts.ts';
import { decisionQueries } from './decisions.ts';
import { deliveryQueries } from './deliveries.ts';
import type { Fingerprint } from './fingerprint.ts';
import { forgetQueries } from './forget.ts';
import { holdQueries } from './holds.ts';
import { integrationQueries } from './integrations.ts';
import { jobQueries } from './jobs.ts';
import { leaseQueries } from './leases.ts';
import { runQueries } from './runs.ts';
import { secretQueries } from './secrets.ts';
import { submissionQueries } from './submissions.ts';
import type { Database } from './tables.ts';

export interface StoreDeps {
  db: Database;
  clock: Clock;
  fingerprint: Fingerprint;
}

/** All that the product may ask of its database, by intent. */
export function createStore({ db, clock, fingerprint }: StoreDeps) {
  const leases = leaseQueries(db, clock);
  const { checkpoint } = leases;
  return {
    fingerprint,
    leases,
    secrets: secretQueries(db),
    integrations: integrationQueries(db, checkpoint),
    runs: runQueries(db, checkpoint, clock),
    contacts: { ...contactQueries(db, checkpoint, clock), ...decisionQueries(checkpoint, clock) },
    submissions: submissionQueries(db, checkpoint, clock),
    jobs: jobQueries(db, checkpoint, clock),
    deliveries: deliveryQueries(db, checkpoint, clock),
    holds: holdQueries(db, clock),
    forget: forgetQueries(db, clock, fingerprint),
  };
}

export type Store = ReturnType<typeof createStore>;
