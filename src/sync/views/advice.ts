/** Gives advice after a run that stopped early. The command line, the pages and the alerts show this advice. */
import type { Role } from '../../core/role.ts';
import type { RunReason, StopCode } from '../../core/run.ts';

/**
 * A step that the user should take. If the step has a command, the command carries out the step or shows how to do it.
 */
export interface Step {
  /** The step in one sentence, without a full stop. */
  text: string;
  command: string | null;
  /** The page that does the same as the command. Null if only the terminal can do it. */
  page: StepPage | null;
}

export interface StepPage {
  name: string;
  href: string;
  /** The role that a user needs to open the page. */
  role: Role;
}

export interface Advice {
  /** The reason why the run stopped, as part of a sentence. The reason never quotes a CRM or the service. */
  cause: string;
  /** `person` means that a user has to act. `time` means that the work continues automatically. */
  needs: 'person' | 'time';
  /** The steps that the user should take, in order. The list has at least one step. */
  steps: readonly [Step, ...Step[]];
}

/** Returns advice for a run that stopped or failed for this reason. A null reason means that the run was cut off. */
export function adviceFor(reason: Pick<RunReason, 'code'> | null, integrationId: string): Advice {
  const { cause, needs, steps } = entryFor(reason?.code ?? 'interrupted');
  const [first, ...others] = steps.map(([text, command = null, page = null]) => ({
    text,
    command: command === null ? null : `donor-sync ${command.replace('ID', integrationId)}`,
    page: toPage(page ?? PAGES[command ?? ''] ?? null, integrationId),
  }));
  if (first === undefined) throw new Error(`no step for ${reason?.code}`);
  return { cause, needs, steps: [first, ...others] };
}

/** Replaces `ID` in the page's address with the integration's ID. */
function toPage(page: StepPage | null, integrationId: string): StepPage | null {
  if (page === null) return null;
  return { ...page, href: page.href.replace('ID', encodeURIComponent(integrationId)) };
}

const OVERVIEW: StepPage = { name: 'Overview', href: '/clients/ID', role: 'viewer' };
const DOCTOR: StepPage = { name: 'Doctor', href: '/clients/ID/doctor', role: 'admin' };
const CREDITS: StepPage = { name: 'Credits', href: '/credits?client=ID', role: 'viewer' };
const PEOPLE: StepPage = {
  name: 'See what is sent',
  href: '/integrations/ID/persons',
  role: 'reader',
};

/** The page for each command. A step can name a different page. */
const PAGES: Readonly<Record<string, StepPage>> = {
  credits: CREDITS,
  doctor: DOCTOR,
  'doctor ID': DOCTOR,
  holds: { name: 'Decisions', href: '/decisions?client=ID', role: 'viewer' },
  'sync ID': OVERVIEW,
  'sync ID --accept-match-rate': OVERVIEW,
  'sync ID --accept-marks': OVERVIEW,
};

/** True if donor-sync has advice for this stop code. For any other code, only the run's message explains the reason. */
export function isKnownStop(code: string): boolean {
  return code in STOPS;
}

/** The step for the user if the service rejects the service key. */
export const VALID_KEY_NEEDED =
  'Put a valid service key into the settings (partner.apiKey) and start donor-sync again';

const GOES_ON = 'the next run continues where this one ended';

interface Entry {
  cause: string;
  needs: Advice['needs'];
  /**
   * The steps as sentences with commands. A command does not contain the program name, and its `ID` is replaced with
   * the integration's ID. A page replaces the page of the command.
   */
  steps: readonly (readonly [text: string, command?: string, page?: StepPage])[];
}

/** The code of every reason to stop a run, and the codes of failures that users can cause. */
const STOPS: Readonly<Record<StopCode | 'crm_account_changed', Entry>> = {
  credits_exhausted: {
    cause: 'the credits are used up',
    needs: 'person',
    steps: [[`Buy credits; ${GOES_ON}. See the balances`, 'credits']],
  },
  budget_reached: {
    cause: 'the budget in the settings is used up',
    needs: 'time',
    steps: [
      [
        'Raise the budget in the settings, or wait until a run may spend again. See the credits left',
        'plan ID',
        CREDITS,
      ],
    ],
  },
  match_rate_low: {
    cause: 'the service recognised too few of the contacts that were sent first',
    needs: 'person',
    steps: [
      ['See the people as they would be sent', 'plan ID', PEOPLE],
      [
        'Correct the columns in the settings, or accept the match rate',
        'sync ID --accept-match-rate',
      ],
    ],
  },
  contacts_missing: {
    cause: 'many contacts are missing from the CRM, and nothing shows that they were deleted',
    needs: 'person',
    steps: [
      [
        'Check that the export is complete and that donor-sync can still see all contacts. The next complete sync ends this',
        'doctor ID',
      ],
      [
        'If they are gone, confirm it. Otherwise answer that donor-sync should wait for them',
        'holds',
      ],
    ],
  },
  marks_unconfirmed: {
    cause: 'a mark excludes more than half of the contacts, and no user has confirmed that yet',
    needs: 'person',
    steps: [
      ['See the column and its values', 'plan ID', PEOPLE],
      ['Correct them in the settings, or confirm them once', 'sync ID --accept-marks'],
    ],
  },
  journal_unwritable: {
    cause: 'the spending journal cannot be written, so nothing more is spent',
    needs: 'person',
    steps: [
      ['See which file it is, and why it cannot be written', 'doctor'],
      ['Make it writable, or name another file in spendingJournal, and sync again', 'sync ID'],
    ],
  },
  clock_wrong: {
    cause: "this machine's clock and the service's clock differ by minutes",
    needs: 'person',
    steps: [
      ['Set the clock of this machine, preferably with a time server. Nothing is spent until then'],
    ],
  },
  store_replaced: {
    cause: 'the database file was deleted or replaced while it was in use',
    needs: 'person',
    steps: [
      [
        'Restore the database file, or set the correct path in the settings, and start donor-sync again. Nothing was spent without the file',
      ],
    ],
  },
  restore_unconfirmed: {
    cause:
      'the database was restored from a backup or its data was erased, and no user has agreed to spend credits since then',
    needs: 'person',
    steps: [
      ['See what a sync would spend, and on which contacts', 'plan ID'],
      ['Agree to it', 'restore --agree ID'],
    ],
  },
  store_does_not_know_crm: {
    cause: 'the CRM has donor IDs that this database does not know',
    needs: 'person',
    steps: [
      ['Name the database that knows these contacts in the settings, or restore its backup'],
      ['If it is lost, adopt the contacts at no cost', 'sync ID --adopt'],
    ],
  },
  lease_lost: {
    cause: 'another process took over the client',
    needs: 'time',
    steps: [
      [
        `Nothing is paid for twice; ${GOES_ON}. If it happens again, check whether a second service uses the same database`,
      ],
    ],
  },
  stopped_by_person: {
    cause: 'a user stopped it',
    needs: 'time',
    steps: [[`Nothing is lost or paid for twice; ${GOES_ON}. Start it at once`, 'sync ID']],
  },
  interrupted: {
    cause: 'the process ended in the middle of the run',
    needs: 'time',
    steps: [[`Nothing is paid for twice; ${GOES_ON}`]],
  },
  partner_key_rejected: {
    cause: 'the Partner Data Service rejected the service key',
    needs: 'person',
    steps: [[`${VALID_KEY_NEEDED}. Check it`, 'doctor ID']],
  },
  partner_key_expired: {
    cause: 'the service key has expired',
    needs: 'person',
    steps: [
      [
        'Ask the service operator for a new key, put it into the settings (partner.apiKey) and start donor-sync again',
      ],
    ],
  },
  partner_unavailable: {
    cause: 'the Partner Data Service was unavailable for too long',
    needs: 'time',
    steps: [[`This is usually temporary, and ${GOES_ON}. If it persists`, 'doctor ID']],
  },
  crm_unauthorized: {
    cause: "the CRM does not accept donor-sync's sign-in",
    needs: 'person',
    steps: [['Find out why', 'doctor ID'], ['Connect the CRM again, or renew its credentials']],
  },
  crm_account_changed: {
    cause: 'the credentials lead to another CRM account than before',
    needs: 'person',
    steps: [
      [
        'Restore the credentials of the account that earlier runs wrote to. Check them',
        'doctor ID',
      ],
    ],
  },
  crm_limit_reached: {
    cause: "the CRM's daily request limit is used up",
    needs: 'time',
    steps: [[`Once the limit resets, ${GOES_ON}. Find out which other tool uses so many`]],
  },
  crm_unavailable: {
    cause: 'the CRM was unavailable for too long',
    needs: 'time',
    steps: [[`This is usually temporary, and ${GOES_ON}. If it persists`, 'doctor ID']],
  },
};

function entryFor(code: string): Entry {
  const known: Readonly<Record<string, Entry>> = STOPS;
  return (
    known[code] ?? {
      cause: code,
      needs: 'person',
      steps: [['Fix what the message names, then sync again. Find out more', 'doctor ID']],
    }
  );
}

/** Returns the step as one line, with the command after a colon. */
export function stepText({ text, command }: Step): string {
  return command === null ? text : `${text}: ${command}`;
}
