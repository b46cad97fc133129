/** The errors that list requests can cause. */

import { HubspotError, validationError } from '../core/errors.ts';

/** Creates the error for a list ID that does not exist. */
export function unknownList(id: string): HubspotError {
  return new HubspotError(404, 'OBJECT_NOT_FOUND', `List does not exist with ID ${id}.`, {
    subCategory: 'ListError.LIST_NOT_FOUND',
  });
}

/** Creates the error for a list name that does not exist. */
export function unknownListName(name: string, objectTypeId: string): HubspotError {
  const message = `List does not exist with name ${name} and object type ID ${objectTypeId}.`;
  return new HubspotError(404, 'OBJECT_NOT_FOUND', message, {
    subCategory: 'ListError.LIST_NOT_FOUND',
  });
}

/**
 * Creates the error for a name that is already used. The name of a list is unique, even among lists of different object
 * types.
 */
export function nameTaken(name: string): HubspotError {
  return validationError(`The following list names already exist: [${name}]`, {
    subCategory: 'ILS.DUPLICATE_LIST_NAMES',
  });
}

/** Creates the error for lists whose object type does not exist in this account. */
export function invalidObjectType(typeId: string): HubspotError {
  return validationError(
    `The objectTypeId ${typeId} provided for the list is not valid for this portal.`,
    { subCategory: 'ListError.INVALID_OBJECT_TYPE_FOR_LIST' },
  );
}

/** Creates the error for a change that a list's processing type does not allow. */
export function invalidProcessingType(message: string): HubspotError {
  return validationError(message, { subCategory: 'ListError.INVALID_PROCESSING_TYPE' });
}
