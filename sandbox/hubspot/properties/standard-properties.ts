/** The standard properties that a client with data about people needs. */

import type { ObjectType } from '../core/object-type.ts';
import { type Property, propertyDefinitionSchema } from './property.ts';

/** The creation time of HubSpot's own properties. */
const MADE_AT_MS = Date.parse('2020-01-15T09:30:00.000Z');

const LIFECYCLE_STAGES = ['subscriber', 'lead', 'opportunity', 'customer', 'evangelist', 'other'];

/** For each object type, the names and labels of the property groups that HubSpot defines. */
export const STANDARD_GROUPS: Readonly<Record<ObjectType['name'], readonly [string, string][]>> = {
  contacts: [
    ['contactinformation', 'Contact information'],
    ['emailinformation', 'Email information'],
    ['contact_activity', 'Contact activity'],
  ],
  companies: [
    ['companyinformation', 'Company information'],
    ['company_activity', 'Company activity'],
  ],
};

/** A property in short form: its name, its label, and its differences from a single-line text property. */
type Short = readonly [name: string, label: string, differs?: Record<string, unknown>];

const READ_ONLY = { readOnly: true };
const NUMBER = { type: 'number', fieldType: 'number' };
const TIME = { type: 'datetime', fieldType: 'date' };
const ID = { ...NUMBER, readOnly: true };

const OF_BOTH: readonly Short[] = [
  ['address', 'Street Address'],
  ['city', 'City'],
  ['state', 'State/Region'],
  ['zip', 'Postal Code'],
  ['country', 'Country/Region'],
  ['phone', 'Phone Number', { fieldType: 'phonenumber' }],
  ['website', 'Website URL'],
  ['numemployees', 'Number of Employees'],
  ['annualrevenue', 'Annual Revenue', NUMBER],
  ['industry', 'Industry'],
  ['lifecyclestage', 'Lifecycle Stage', enumeration(LIFECYCLE_STAGES)],
  [
    'hubspot_owner_id',
    'Owner',
    { type: 'enumeration', fieldType: 'select', externalOptions: true },
  ],
  ['createdate', 'Create Date', { ...TIME, readOnly: true }],
  ['hs_object_id', 'Record ID', ID],
  ['hs_merged_object_ids', 'Merged record IDs', { ...READ_ONLY, ...checkbox() }],
  ['hs_created_by_user_id', 'Created by user ID', ID],
  ['hs_updated_by_user_id', 'Updated by user ID', ID],
  ['hs_object_source', 'Record creation source', READ_ONLY],
];

const OF_TYPE: Readonly<Record<ObjectType['name'], readonly Short[]>> = {
  contacts: [
    ['firstname', 'First Name'],
    ['lastname', 'Last Name'],
    ['email', 'Email', { hasUniqueValue: true }],
    ['company', 'Company Name'],
    ['jobtitle', 'Job Title'],
    ['mobilephone', 'Mobile Phone Number', { fieldType: 'phonenumber' }],
    ['salutation', 'Salutation'],
    ['date_of_birth', 'Date of birth'],
    ['school', 'School'],
    ['degree', 'Degree'],
    ['associatedcompanyid', 'Primary Associated Company ID', ID],
    ['lastmodifieddate', 'Last Modified Date', { ...TIME, readOnly: true }],
    ['hs_email_domain', 'Email Domain', { calculated: true }],
    ['hs_full_name_or_email', 'Full name or email', { calculated: true }],
    ['hs_email_optout', 'Unsubscribed from all email', { ...yesOrNo(), readOnly: true }],
    ['hs_lead_status', 'Lead Status', enumeration(['NEW', 'OPEN', 'IN_PROGRESS', 'CONNECTED'])],
    ['notes_last_updated', 'Last Activity Date', { ...TIME, readOnly: true }],
  ],
  companies: [
    ['name', 'Company name'],
    ['domain', 'Company Domain Name'],
    ['description', 'Description', { fieldType: 'textarea' }],
    ['founded_year', 'Year Founded'],
    ['hs_lastmodifieddate', 'Last Modified Date', { ...TIME, readOnly: true }],
    ['num_associated_contacts', 'Number of Associated Contacts', { ...ID, calculated: true }],
  ],
};

/** Returns HubSpot's own properties for an object type. */
export function standardProperties(type: ObjectType): Property[] {
  const [[groupName = ''] = []] = STANDARD_GROUPS[type.name];
  return [...OF_TYPE[type.name], ...OF_BOTH].map(([name, label, differs = {}]) => ({
    ...propertyDefinitionSchema.parse({
      name,
      label,
      type: 'string',
      fieldType: 'text',
      groupName,
      hubspotDefined: true,
      createdAtMs: MADE_AT_MS,
      updatedAtMs: MADE_AT_MS,
      ...differs,
    }),
    archivedAtMs: null,
  }));
}

function enumeration(values: readonly string[]) {
  const options = values.map((value, displayOrder) => ({ label: value, value, displayOrder }));
  return { type: 'enumeration', fieldType: 'radio', options };
}

function checkbox() {
  return { type: 'enumeration', fieldType: 'checkbox', externalOptions: true };
}

function yesOrNo() {
  const options = [
    { label: 'True', value: 'true', displayOrder: 0 },
    { label: 'False', value: 'false', displayOrder: 1 },
  ];
  return { type: 'enumeration', fieldType: 'booleancheckbox', options };
}
