/** The objects and fields of the Nonprofit Success Pack. The package's objects include households and affiliations. */

import { defineField, type Field, lookup, readOnly, text } from '../field.ts';
import { defineObject, type ObjectType } from '../object-type.ts';
import { flag } from './people.ts';

/**
 * Returns the package's fields of Contact. With the package, `AccountId` refers to the household, and the primary
 * affiliation is the employer.
 */
export function successPackContactFields(): Field[] {
  return [
    lookup('npsp__Primary_Affiliation__c', 'Primary Affiliation', {
      to: 'Account',
      relationship: 'npsp__Primary_Affiliation__r',
      children: 'npsp__PrimaryAffiliationContacts__r',
    }),
    flag('npsp__is_Address_Override__c', 'Address Override'),
    flag('npsp__Deceased__c', 'Deceased'),
    flag('npsp__Do_Not_Contact__c', 'Do Not Contact'),
    defineField('npe01__WorkEmail__c', 'Work Email', 'email'),
    defineField('npe01__HomeEmail__c', 'Personal Email', 'email'),
    defineField('npo02__TotalOppAmount__c', 'Total Gifts', 'currency', { precision: 18, scale: 2 }),
  ].map(custom);
}

export function successPackAccountFields(): Field[] {
  return [
    text('npe01__SYSTEM_AccountType__c', '_SYSTEM: AccountType', 100),
    flag('npe01__SYSTEMIsIndividual__c', '_SYSTEM: IsIndividual'),
    lookup('npe01__One2OneContact__c', 'Primary Contact', {
      to: 'Contact',
      relationship: 'npe01__One2OneContact__r',
    }),
  ].map(custom);
}

/** Returns the object Affiliation. A record connects a contact with an organisation and contains the contact's role. */
export function affiliationObject(): ObjectType {
  return defineObject({
    name: 'npe5__Affiliation__c',
    label: 'Affiliation',
    keyPrefix: 'a0A',
    custom: true,
    fields: [
      readOnly(
        text('Name', 'Affiliation Key', 80, {
          required: true,
          expression: `'AFF-' || substr('0000000' || {t}.rowid, -7)`,
        }),
      ),
      lookup('OwnerId', 'Owner ID', { to: 'User', relationship: 'Owner' }, { required: true }),
      ...[
        lookup('npe5__Contact__c', 'Contact', {
          to: 'Contact',
          relationship: 'npe5__Contact__r',
          children: 'npe5__Affiliations__r',
        }),
        lookup('npe5__Organization__c', 'Organization', {
          to: 'Account',
          relationship: 'npe5__Organization__r',
          children: 'npe5__Affiliations__r',
        }),
        text('npe5__Role__c', 'Role', 255),
        defineField('npe5__Status__c', 'Status', 'picklist', { picklist: ['Current', 'Former'] }),
        flag('npe5__Primary__c', 'Primary'),
        defineField('npe5__StartDate__c', 'Start Date', 'date'),
        defineField('npe5__EndDate__c', 'End Date', 'date'),
        defineField('npe5__Description__c', 'Description', 'textarea', { length: 32_000 }),
      ].map(custom),
    ],
  });
}

function custom(field: Field): Field {
  return { ...field, custom: true };
}
