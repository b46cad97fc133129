/** What is refused about lists. */

import { HubspotError, validationError } from '../core/errors.ts';

/** A list that is not there. */
export function unknownList(id: string): HubspotError {
  return new HubspotError(404, 'OBJECT_NOT_FOUND', `List does not exist with ID ${id}.`, {
    subCategory: 'ListError.LIST_NOT_FOUND',
  });
}

/** There is no list of this name. */
export function unknownListName(name: string, objectTypeId: string): HubspotError {
  const message = `List does not exist with name ${name} and object type ID ${objectTypeId}.`;
  return new HubspotError(404, 'OBJECT_NOT_FOUND', message, {
    subCategory: 'ListError.LIST_NOT_FOUND',
  });
}

/** Names are given once only, whatever the lists hold. */
export function nameTaken(name: string): HubspotError {
  return validationError(`The following list names already exist: [${name}]`, {
    subCategory: 'ILS.DUPLICATE_LIST_NAMES',
  });
}

/** Lists of what this account does not have. */
export function invalidObjectType(typeId: string): HubspotError {
  return validationError(
    `The objectTypeId ${typeId} provided for the list is not valid for this portal.`,
    { subCategory: 'ListError.INVALID_OBJECT_TYPE_FOR_LIST' },
  );
}

/** Something that lists of this processing type cannot do, or cannot do without. */
export function invalidProcessingType(message: string): HubspotError {
  return validationError(message, { subCategory: 'ListError.INVALID_PROCESSING_TYPE' });
}
