/** What to do after a run that did not come to its end. */
import type { RunReason } from '../../core/run.ts';

/** What a person reads below the reason of a run. */
export interface Advice {
  /** `person`: nothing goes on until somebody does something; `time`: it goes on by itself. */
  needs: 'person' | 'time';
  /** One or two whole sentences. */
  text: string;
  /** A command that helps; null if none is needed. */
  command: string | null;
}

/** What to do about a key that the service does not accept. */
export const VALID_KEY_NEEDED = 'Put a valid partner key into the settings and restart.';

/** The advice for the reason of a run that stopped or failed; null means that it was cut off. */
export function adviceFor(reason: RunReason | null, integrationId: string): Advice {
  switch (reason?.code) {
    case undefined:
    case 'lease_lost':
    case 'interrupted':
      return patience('The next run goes on where it ended. Nothing is paid for twice.');
    case 'credits_exhausted':
      return {
        ...{ needs: 'person', text: 'Buy credits; the next run goes on where this one ended.' },
        command: 'donor-sync credits',
      };
    case 'budget_reached':
      return patience(
        'Raise the budget in the settings, or wait: a later run goes on once the budget allows it.',
        `donor-sync plan ${integrationId}`,
      );
    case 'match_rate_low':
      return {
        needs: 'person',
        text: 'Look at persons as they would be sent. Correct the columns in the settings, or accept the rate.',
        command: `donor-sync plan ${integrationId}`,
      };
    case 'clock_wrong':
      return person('Set the clock of the machine, best by a time server.', integrationId);
    case 'store_replaced':
      return person('Put the database file back and start donor-sync again.', integrationId);
    case 'store_does_not_know_crm':
      return {
        needs: 'person',
        text: 'Name the database that knows these contacts, or restore its backup. If it is lost, take the contacts over without a credit.',
        command: `donor-sync sync ${integrationId} --adopt`,
      };
    case 'partner_unavailable':
    case 'crm_unavailable':
      return patience('That usually passes. The next run goes on where this one ended.');
    case 'crm_limit_reached':
      return patience('The CRM has a limit for each day. The next run goes on once it is over.');
    case 'partner_key_rejected':
    case 'partner_key_expired':
      return person(VALID_KEY_NEEDED, integrationId);
    case 'crm_unauthorized':
      return person('Connect the CRM again, or renew its credentials.', integrationId);
    default:
      return person('Mend what the message names, then sync again.', integrationId);
  }
}

function patience(text: string, command: string | null = null): Advice {
  return { needs: 'time', text, command };
}

function person(text: string, integrationId: string): Advice {
  return { needs: 'person', text, command: `donor-sync doctor ${integrationId}` };
}
