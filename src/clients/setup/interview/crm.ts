/** The questions about the kind of CRM and the sign-in method. */
import type { AboutRemoteCrm, AddressProblem } from '../../../../connectors/about.ts';
import { REMOTE_CRMS } from '../../../../connectors/index.ts';
import { addressProblem } from '../address.ts';
import { anyText, checkedBy, type Question } from './question.ts';

export const CRM_KIND: Question = {
  setting: 'crm.kind',
  noun: 'the CRM with the contacts',
  ask: 'Where are the contacts?',
  label: 'CRM',
  schema: anyText,
  options: [
    ...REMOTE_CRMS.map(({ kind, name }) => ({ value: kind, label: name })),
    { value: 'csv', label: 'A CSV file or workbook', hint: 'an export from any other CRM' },
  ],
};

/**
 * Asks for the sign-in method. A consent requires a browser. All other methods require values that the operator has.
 */
export function askSignIn({ name, setup: { signIns, signInHint } }: AboutRemoteCrm): Question {
  return {
    setting: 'crm.auth.type',
    noun: `the way to sign in to ${name}`,
    ask: `How does donor-sync sign in to ${name}?`,
    label: 'How donor-sync signs in',
    ...(signInHint === undefined ? {} : { hint: signInHint }),
    schema: anyText,
    ...(signIns[0] === undefined ? {} : { initial: signIns[0].type }),
    options: signIns.map(({ type, label, hint }) => ({
      value: type,
      label,
      ...(hint === undefined ? {} : { hint }),
    })),
  };
}

export function askAddress({ setup: { address } }: AboutRemoteCrm): Question {
  const { noun, ask, label, hint, usual } = address;
  return {
    setting: 'crm.url',
    noun,
    ask,
    label,
    ...(hint === undefined ? {} : { hint }),
    schema: checkedBy(addressProblem),
    ...(usual === undefined ? {} : { initial: usual }),
  };
}

/**
 * Returns the problem with an address. Returns null if the sign-in method works at this address, or if the text is not
 * an address.
 */
export function findAddressProblem(
  { setup }: AboutRemoteCrm,
  signIn: string,
  address: string,
): AddressProblem | null {
  if (!URL.canParse(address)) return null;
  return setup.findAddressProblem?.(signIn, address) ?? null;
}
