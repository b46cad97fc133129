import { describeCount } from '../quantities.ts';
import type { DecisionWord } from './decisions.ts';
import type { NetworkKind } from './kind.ts';

const ABOUT_NETWORK = 'This decision is about a network, so there is nothing to submit again.';

/** The kinds of questions about networks. */
export const NETWORK_KINDS = {
  /** More than half of the members of the CRM group would leave the network. */
  group_shrunk: {
    decided,
    refusal: ABOUT_NETWORK,
    name: 'Group has shrunk',
    why: (detail) => `${detail ?? 'many'} members would leave the network: more than half`,
    answers: {
      approve: { label: 'Let them go', effect: 'The next sync removes them from the network.' },
      reject: {
        label: 'Keep them',
        effect: 'The network stays as it is until the group changes.',
      },
    },
  },
  /** donor-sync cannot read the CRM group completely. */
  group_unreadable: {
    decided,
    refusal: ABOUT_NETWORK,
    name: 'Group cannot be read',
    why: (detail) =>
      `the group cannot be read completely (${detail ?? 'unknown'}); no member is added or removed`,
    ...toBeFixed('Correct the group in the CRM, or name another one in the settings'),
  },
  /** The service no longer has the network. */
  network_deleted: {
    decided,
    refusal: ABOUT_NETWORK,
    name: 'Network is gone',
    why: (detail) =>
      `the service no longer has the network; creating it again costs ${detail ?? 'some'} credits`,
    answers: {
      approve: {
        label: 'Create it again',
        effect: 'The next sync spends the credits named above.',
      },
      reject: { label: 'Leave it', effect: 'The network is no longer mirrored.' },
    },
  },
  /** Another network in the service already has this name. */
  name_taken: {
    decided,
    refusal: ABOUT_NETWORK,
    name: 'Name is taken',
    why: () => 'another network at the service has this name',
    ...toBeFixed('Give one of the two networks another name, here or at the service'),
  },
  /** The service rejects the network or its members as invalid. */
  network_refused: {
    decided,
    refusal: ABOUT_NETWORK,
    name: 'Network was refused',
    why: (detail) =>
      `the service refuses the network or its members (${detail ?? 'no reason given'})`,
    ...toBeFixed('Correct the refused value in the settings, for example a name that is too long'),
  },
} satisfies Record<string, NetworkKind>;

/**
 * Creates a kind of question that users cannot approve. The cause must be fixed elsewhere, and users can hide the
 * question until then.
 */
function toBeFixed(fix: string): Pick<NetworkKind, 'answers' | 'refusal'> {
  const effect = `${fix}. Then the hold is released automatically.`;
  return {
    answers: { reject: { label: 'Hide it', effect } },
    refusal: `It cannot be approved. ${effect}`,
  };
}

function decided(word: DecisionWord, count: number): string {
  const holds = describeCount(count, 'hold');
  return word === 'approve'
    ? `${holds} about networks approved. The next sync carries this out.`
    : `${holds} about networks rejected. The networks stay unchanged until something else changes.`;
}
