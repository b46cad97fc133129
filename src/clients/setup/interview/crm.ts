/** The questions about the CRM: which CRM it is, and how donor-sync signs in. */
import { addressProblem } from '../address.ts';
import { anyText, checkedBy, type Question } from './question.ts';

export const CRM_KIND: Question = {
  setting: 'crm.kind',
  noun: 'the CRM with the contacts',
  ask: 'Where are the contacts?',
  label: 'CRM',
  schema: anyText,
  options: [
    { value: 'salesforce', label: 'Salesforce' },
    { value: 'hubspot', label: 'HubSpot' },
    { value: 'csv', label: 'A CSV file or workbook', hint: 'an export from any other CRM' },
  ],
};

/** All ways to sign in. A consent needs a browser. The others need values that an operator has. */
export const SIGN_IN: Question = {
  setting: 'crm.auth.type',
  noun: 'the way to sign in to Salesforce',
  ask: 'How does donor-sync sign in to Salesforce?',
  label: 'How donor-sync signs in',
  hint: 'Client credentials need the client secret and your My Domain. The app determines the user that they run as.',
  schema: anyText,
  initial: 'clientCredentials',
  options: [
    {
      value: 'clientCredentials',
      label: 'Client credentials of the app',
      hint: 'an ID and a secret',
    },
    { value: 'jwt', label: 'JWT bearer', hint: 'a certificate and a user name' },
    { value: 'refreshToken', label: 'Refresh token', hint: 'a user signed in once' },
    { value: 'token', label: 'Access token', hint: 'expires soon; for trying out' },
    { value: 'oauth', label: 'A user grants access on a Salesforce page' },
  ],
};

export const SALESFORCE_ADDRESS: Question = {
  setting: 'crm.url',
  noun: 'your Salesforce login or My Domain URL',
  ask: 'What is your Salesforce login or My Domain URL?',
  label: 'Address where you sign in',
  hint: 'login.salesforce.com, test.salesforce.com for a sandbox, or your My Domain.',
  schema: checkedBy(addressProblem),
  initial: 'https://login.salesforce.com',
};

export const HUBSPOT_ADDRESS: Question = {
  setting: 'crm.url',
  noun: 'the address of the HubSpot API',
  ask: 'What is the address of the HubSpot API?',
  label: 'API address',
  schema: checkedBy(addressProblem),
  initial: 'https://api.hubapi.com',
};

/** The ways to sign in that Salesforce accepts only at the address of one org. */
const OF_ONE_ORG: ReadonlySet<string> = new Set(['clientCredentials', 'token']);

const GENERAL_HOSTS: ReadonlySet<string> = new Set(['login.salesforce.com', 'test.salesforce.com']);

/** Whether this way to sign in needs the My Domain of the org. */
export function needsMyDomain(signIn: string): boolean {
  return OF_ONE_ORG.has(signIn);
}

/**
 * Returns the problem with an address and this way to sign in; null if there is none, or if the text is not
 * an address.
 */
export function myDomainProblem(signIn: string, address: string): string | null {
  if (!needsMyDomain(signIn) || !URL.canParse(address)) return null;
  if (!GENERAL_HOSTS.has(new URL(address).hostname)) return null;
  const way = signIn === 'token' ? 'an access token needs' : 'client credentials need';
  return `${way} your My Domain, https://….my.salesforce.com, which Setup → My Domain shows`;
}
