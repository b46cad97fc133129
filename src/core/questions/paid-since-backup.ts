import { describeCount } from '../quantities.ts';
import type { PaidBefore } from './batch-facts.ts';
import type { ContactKind } from './kind.ts';

/** The `detail` of the question if the contact may have been paid for and no backup was restored. */
export const PAID_BEFORE = {
  /** A former service key paid for the job, and the current service key cannot access the job. */
  former_key: 'its service key was replaced, and the present key cannot see its job',
  /** The profile was not written into the CRM in time. The service has deleted the profile, and no copy exists. */
  result_gone: 'its profile could not be written in time, and the service no longer has it',
} as const satisfies Readonly<Record<PaidBefore, string>>;

const PAID_BEFORE_TEXTS: Readonly<Record<PaidBefore, (contacts: string) => string>> = {
  former_key: (contacts) =>
    `The service key was replaced while jobs were running. The present key cannot see the jobs of ${contacts}, which were paid for with the former key. If the former key is used again within six days, the next sync delivers their profiles without a credit.`,
  result_gone: (contacts) =>
    `The profiles of ${contacts} were paid for, but could not be written while the service still had them. No copy is kept, because of retention.profiles in the settings.`,
};

/** A credit may have been spent on the contact after the backup or with a former service key. */
export const paidSinceBackup = {
  outcome: {
    text: 'may have been paid for, after the backup that the database was restored from or with a former service key; a user decides whether to buy its profile',
    means:
      'The database was restored from a backup, and this contact is new or has changed. The contact might have been paid for after the backup, because the spending journal does not rule this out. There are three other possible causes. A job was in progress when the backup was made, and the service no longer has the job. The service key was replaced while the job was running, and the current key cannot see that job. donor-sync could not write the profile while the service had it, and no copy is kept (`retention.profiles`). donor-sync sent nothing.',
    next: '`donor-sync holds` shows how many contacts are affected. If you use a replaced key again within six days, the next sync delivers the profiles without a credit. `donor-sync holds approve --batch` buys their profiles, so you might pay for some contacts twice. `reject --batch` records these contacts as paid for.',
    costs: 'Nothing now. `reject` costs nothing. `approve` costs one credit for each contact.',
  },
  hasSpentCredit: true,
  hasProfile: false,
  isOfKnownPerson: false,
  endsWithAnswer: true,
  waitsForRun: false,
  isAnsweredInCrm: true,
  name: 'Perhaps paid for',
  why: (detail) => {
    const paidBefore = parsePaidBefore(detail);
    return paidBefore === null
      ? 'the database was restored from a backup, and it may have been paid for after the backup'
      : `it was paid for: ${PAID_BEFORE[paidBefore]}`;
  },
  answers: {
    approve: {
      label: 'Buy it (1 credit)',
      effect: 'The next sync submits it and spends one credit, perhaps a second time.',
      event: 'maybePaidApproved',
      credits: 1,
    },
    reject: {
      label: 'It is paid for',
      effect: 'No credit is spent until it changes or its profile would have become too old.',
      event: 'maybePaidRejected',
      credits: 0,
    },
  },
  refusal:
    'This decision is about a contact that may be paid for, and nothing has been submitted yet.',
  decided(word, count) {
    const contacts = describeCount(count, 'contact');
    return word === 'approve'
      ? `The profiles of ${contacts} are to be bought. The next sync spends at most ${describeCount(count, 'credit')} on that.`
      : `${contacts} ${count === 1 ? 'counts' : 'count'} as paid for. Nothing is spent on them until they change or their profiles would have become too old.`;
  },
  batch: {
    means:
      'they may have been paid for after the backup that the database was restored from, or with a service key that was replaced since, or their profiles are gone',
    hint: 'Approve it to buy their profiles, for a credit each. Reject it to count them as paid for, which is free.',
    inShort: () => 'perhaps paid for',
    why: ({ count, paidBefore }) =>
      paidBefore !== null
        ? PAID_BEFORE_TEXTS[paidBefore](describeCount(count, 'contact'))
        : `The database was restored from a backup. Since the backup, these contacts were added or changed, or the service has lost their jobs. Some or all of them (${count}) may have been paid for, and nothing outside the database shows which. A balance that is not lower than before proves nothing, because credits may have been added, and other tools may spend credits with the same key.`,
    answers(count) {
      const contacts = describeCount(count, 'contact');
      const price = describeCount(count, 'credit');
      return {
        approve: {
          label: `Buy them (${price})`,
          title: `Spend ${price}?`,
          confirm: `Buy the profiles of ${contacts}`,
          effect: `The next sync submits ${contacts} and spends at most ${price}. Profiles that were bought before are paid for a second time.`,
          hint: 'They were not paid for, or the profiles are worth the price.',
        },
        reject: {
          label: 'They are paid for (no credit)',
          title: `Count ${contacts} as paid for?`,
          confirm: `Count ${contacts} as paid for`,
          effect:
            'Nothing is spent on them until they change or their profiles would have become too old. Values in the CRM are kept.',
          hint: 'Their values are already in the CRM, or they can wait until their next refresh.',
        },
      };
    },
    alert: ({ count, paidBefore }) => ({
      subject: 'held_restored',
      problem:
        paidBefore !== null
          ? `${describeCount(count, 'contact')} ${count === 1 ? 'was' : 'were'} paid for, and the profiles cannot be read any more`
          : `the database was restored from a backup, and ${describeCount(count, 'contact')} ${count === 1 ? 'is' : 'are'} new or changed since then: they may already be paid for`,
      steps: ['Nothing is spent on them before a user decides: donor-sync holds'],
    }),
  },
} satisfies ContactKind;

/** Parses the reason of the payment. Null means that the payment was made after the restored backup. */
export function parsePaidBefore(detail: string | null): PaidBefore | null {
  return detail === 'former_key' || detail === 'result_gone' ? detail : null;
}
