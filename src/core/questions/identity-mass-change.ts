import {
  CHANGED_PARTS,
  type ChangedPart,
  changedPartsText,
  partCountsText,
} from '../changed-parts.ts';
import { describeCount, formatCount } from '../quantities.ts';
import type { ContactKind } from './kind.ts';

export const identityMassChange = {
  outcome: {
    text: 'its details changed together with the details of many other contacts; a user decides whether that is worth a credit',
    means:
      'The name, address or employer of many known contacts changed within seven days, for example through an address tool. donor-sync sent nothing.',
    next: '`donor-sync holds` shows which part changed and the possible cost. `donor-sync holds reject --batch` accepts the new details without a credit, and `approve --batch` submits the contacts again.',
    costs: 'Nothing now. `reject` costs nothing. `approve` costs one credit for each contact.',
  },
  hasSpentCredit: true,
  hasProfile: false,
  isOfKnownPerson: false,
  endsWithAnswer: true,
  waitsForRun: false,
  isAnsweredInCrm: true,
  name: 'Details changed',
  why: massChangeReason,
  answers: {
    // Approving a changed identity submits the contact again.
    approve: {
      label: 'Ask again (1 credit)',
      effect: 'The next sync submits the new details to the service.',
      event: 'changeApproved',
      credits: 1,
    },
    reject: {
      label: 'It is the same person',
      effect: 'The new details are accepted. No credit is spent.',
      event: 'changeRejected',
      credits: 0,
    },
  },
  refusal: 'This decision is about changed details, and nothing has been submitted yet.',
  decided(word, count) {
    const contacts = `The changed details of ${describeCount(count, 'contact')} are`;
    return word === 'approve'
      ? `${contacts} to be submitted. The next sync spends ${describeCount(count, 'credit')} on that.`
      : `${contacts} accepted as details of the same people. Nothing is spent on that.`;
  },
  batch: {
    means: 'their details changed',
    hint: '',
    inShort: (parts) => `changed: ${partCountsText(parts)}`,
    why: ({ parts, count }) =>
      `Their details changed at about the same time: ${partCountsText(parts)}. Submitting them to the service again would cost ${describeCount(count, 'credit')}.`,
    answers(count) {
      const contacts = describeCount(count, 'contact');
      const price = describeCount(count, 'credit');
      return {
        approve: {
          label: `Approve all (${price})`,
          title: `Spend ${price}?`,
          confirm: `Approve all ${contacts}`,
          effect: `The next sync submits ${contacts} again and spends at most ${price}.`,
          hint: 'They are worth submitting again: the next sync submits them to the service, for one credit each.',
        },
        reject: {
          label: 'Reject all (no credit)',
          title: `Accept the new details of ${contacts}?`,
          confirm: `Reject all ${contacts}`,
          effect: 'The new details count as known from now on. A later change is checked again.',
          hint: 'They are still the same people: the new details are accepted, and nothing is spent.',
        },
      };
    },
    alert: ({ count, parts }) => ({
      subject: 'held_batch',
      problem: `the details of ${describeCount(count, 'contact')} changed at once (${partCountsText(parts)}); submitting them again costs ${describeCount(count, 'credit')}`,
      steps: ['Nothing is spent on them before a user decides: donor-sync holds --show'],
    }),
  },
} satisfies ContactKind;

/** Explains why a contact in a batch is held. The text starts in lower case and has no full stop. */
function massChangeReason(detail: string | null, batchCount: number | undefined): string {
  const changed = changedPartsText(parseChangedParts(detail));
  if (batchCount === 2) return `its ${changed} changed together with those of 1 other contact`;
  const others = batchCount === undefined || batchCount < 2 ? 'many' : formatCount(batchCount - 1);
  return `its ${changed} changed together with those of ${others} others`;
}

/** Parses the changed details of a held contact. Returns `unknown` for a hold without a list of changed details. */
export function parseChangedParts(detail: string | null): ChangedPart[] {
  const words = detail?.split(',') ?? [];
  const known = CHANGED_PARTS.filter((part) => words.includes(part));
  return known.length === 0 ? ['unknown'] : known;
}
