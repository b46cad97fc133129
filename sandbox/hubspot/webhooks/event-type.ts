/** The kinds of events that an app can subscribe to. */

const CRM_OBJECTS = ['contact', 'company', 'deal', 'ticket', 'product', 'line_item', 'object'];
const CRM_EVENTS = [
  'creation',
  'deletion',
  'propertyChange',
  'merge',
  'restore',
  'associationChange',
];

/** Every event type that HubSpot knows; this account has events of contacts and companies alone. */
export const EVENT_TYPES: readonly string[] = [
  ...CRM_OBJECTS.flatMap((object) => CRM_EVENTS.map((event) => `${object}.${event}`)),
  'contact.privacyDeletion',
  'conversation.creation',
  'conversation.deletion',
  'conversation.privacyDeletion',
  'conversation.propertyChange',
  'conversation.newMessage',
  'event.completed',
];

/** Whether it is about one property, which a subscription must then name. */
export function isPropertyChange(eventType: string): boolean {
  return eventType.endsWith('.propertyChange');
}

/** Whether it is of the generic kind, where a subscription names the type of objects beside it. */
export function isGeneric(eventType: string): boolean {
  return eventType.startsWith('object.');
}
