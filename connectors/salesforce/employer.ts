import { ConfigurationError } from '../../src/core/errors.ts';
import type { IdentitySource } from '../contract.ts';
import type { SalesforceApi } from './api.ts';
import { describeObject, type ObjectDescription } from './describe.ts';
import type { ColumnReader } from './query.ts';
import type { SalesforceSettings } from './settings.ts';
import { hasSuccessPack, PRIMARY_AFFILIATION } from './success-pack.ts';
import { blankToNull } from './values.ts';

/** The source of a contact's employer. Account contact relations are a separate source. */
export interface EmployerShape {
  /** The columns to select. */
  columns: readonly string[];
  sources: readonly IdentitySource[];
  /** The name of the source for these columns, or null if no source can be read. */
  source: string | null;
  /** Returns the employer's name, null if there is no employer, or undefined if the name cannot be read. */
  getName(read: ColumnReader): string | null | undefined;
}

export const AFFILIATION_NAME = 'npsp__Primary_Affiliation__r.Name';
export const ACCOUNT_NAME = 'Account.Name';

/** The account field that marks households. The field that marks households is blank for organisations. */
const HOUSEHOLD_MARK = 'npe01__SYSTEM_AccountType__c';
const ORGANIZATION = 'Organization';

/**
 * Returns the source of employers in this org. In the Nonprofit Success Pack, the contact's account is the household.
 * In an org with person accounts, the person account is the contact. Households and person accounts are therefore never
 * used as employers.
 */
export async function shapeEmployer(
  api: SalesforceApi,
  description: ObjectDescription,
  employer: SalesforceSettings['employer'],
): Promise<EmployerShape> {
  const hasAffiliation = description.fields.has(PRIMARY_AFFILIATION);
  if (employer === 'primaryAffiliation' && !hasAffiliation) {
    const message = `crm.employer is "primaryAffiliation", but the integration's user cannot see the field ${PRIMARY_AFFILIATION} on Contact: grant access to it, or write "account".`;
    throw new ConfigurationError(message, { code: 'crm_field_missing' });
  }
  if (employer !== 'account' && hasAffiliation) return AFFILIATION;
  const account = await shapeAccount(api, description);
  if (employer === 'account' || !hasSuccessPack(description)) return account;
  // If the affiliation field is hidden, the account's name is used if possible.
  return { ...account, sources: [source(AFFILIATION_NAME, false), ...account.sources] };
}

const AFFILIATION: EmployerShape = {
  columns: [PRIMARY_AFFILIATION, AFFILIATION_NAME],
  sources: [source(AFFILIATION_NAME, true)],
  source: AFFILIATION_NAME,
  getName: (read) => nameBehind(read, PRIMARY_AFFILIATION, AFFILIATION_NAME),
};

async function shapeAccount(
  api: SalesforceApi,
  description: ObjectDescription,
): Promise<EmployerShape> {
  const { fields } = description;
  if (!fields.has('AccountId')) return HIDDEN_ACCOUNT;
  const columns = ['AccountId', ACCOUNT_NAME];
  const hasPersons = fields.has('IsPersonAccount');
  if (hasPersons) columns.push('IsPersonAccount');
  const mark = `Account.${HOUSEHOLD_MARK}`;
  const hasHouseholds = hasSuccessPack(description);
  if (hasHouseholds) {
    const account = await describeObject(api, 'Account');
    // Without the field that marks households, a household cannot be distinguished from an employer.
    if (!account.fields.has(HOUSEHOLD_MARK)) return HIDDEN_ACCOUNT;
    columns.push(mark);
  }
  return {
    columns,
    sources: [source(ACCOUNT_NAME, true)],
    source: ACCOUNT_NAME,
    getName(read) {
      if (hasPersons && String(read('IsPersonAccount')) === 'true') return null;
      const kind = hasHouseholds ? blankToNull(read(mark)) : null;
      const isHousehold = kind !== null && kind !== ORGANIZATION;
      return isHousehold ? null : nameBehind(read, 'AccountId', ACCOUNT_NAME);
    },
  };
}

const HIDDEN_ACCOUNT: EmployerShape = {
  columns: [],
  sources: [source(ACCOUNT_NAME, false)],
  source: null,
  getName: () => null,
};

/**
 * Returns the name of the account in a lookup field. Every account has a name, so an account without a name is hidden
 * from the user.
 */
function nameBehind(
  read: ColumnReader,
  lookup: string,
  nameColumn: string,
): string | null | undefined {
  const name = blankToNull(read(nameColumn));
  if (name !== null) return name;
  const target = read(lookup);
  return target === null || target === '' ? null : undefined;
}

function source(name: string, readable: boolean): IdentitySource {
  return { name, part: 'employers', readable };
}
