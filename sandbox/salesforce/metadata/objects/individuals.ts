/**
 * The fields of Data Protection and Privacy, and the date of death. The field with the date of death exists only in
 * orgs of some industries.
 */

import { defineField, type Field, lookup, readOnly, text } from '../field.ts';
import { defineObject, type ObjectType } from '../object-type.ts';
import { flag, PERSON_NAME_SQL } from './people.ts';
import { fromPerson } from './person-accounts.ts';

/** Returns the object Individual, which stores a person's consents. Contacts and leads refer to an Individual. */
export function individualObject(): ObjectType {
  return defineObject({
    name: 'Individual',
    label: 'Individual',
    keyPrefix: '0PK',
    fields: [
      text('LastName', 'Last Name', 80, { required: true }),
      text('FirstName', 'First Name', 40),
      readOnly(text('Name', 'Name', 121, { required: true, expression: PERSON_NAME_SQL })),
      flag('HasOptedOutProcessing', "Don't Process"),
      flag('HasOptedOutProfiling', "Don't Profile"),
      flag('HasOptedOutSolicit', "Don't Market"),
      flag('HasOptedOutTracking', "Don't Track"),
      flag('ShouldForget', 'Forget this Individual'),
      flag('HasPrivacyHold', 'Privacy Hold'),
      flag('SendIndividualData', "Export Individual's Data"),
      defineField('BirthDate', 'Birth Date', 'date'),
      defineField('DeathDate', 'Death Date', 'date'),
      lookup('OwnerId', 'Owner ID', { to: 'User', relationship: 'Owner' }, { required: true }),
    ],
  });
}

/** Returns the lookup field from a contact to its Individual. */
export function individualField(): Field {
  return lookup('IndividualId', 'Individual ID', {
    to: 'Individual',
    relationship: 'Individual',
    children: 'Contacts',
  });
}

/** Returns the field with the time of a contact's death. The value is null for a living contact. */
export function deceasedDateField(): Field {
  return defineField('DeceasedDate', 'Deceased Date', 'datetime');
}

/** Returns the lookup field from a person account to its Individual. */
export function personIndividualField(): Field {
  const reference = { to: 'Individual', relationship: 'PersonIndividual' };
  return fromPerson(
    lookup('PersonIndividualId', 'Individual ID', reference, { ofPerson: 'IndividualId' }),
  );
}

/** Returns the field with the time of death of a person account's person. */
export function personDeceasedDateField(): Field {
  return fromPerson(
    defineField('PersonDeceasedDate', 'Deceased Date', 'datetime', { ofPerson: 'DeceasedDate' }),
  );
}
