/** The types of events that an app can subscribe to. */

const CRM_OBJECTS = ['contact', 'company', 'deal', 'ticket', 'product', 'line_item', 'object'];
const CRM_EVENTS = [
  'creation',
  'deletion',
  'propertyChange',
  'merge',
  'restore',
  'associationChange',
];

/** All event types of HubSpot. The stand-in's account sends only events about contacts and companies. */
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

/** Returns true if the events are about a single property. A subscription must then name the property. */
export function isPropertyChange(eventType: string): boolean {
  return eventType.endsWith('.propertyChange');
}

/** Returns true for a generic type. A subscription to it must also name the object type. */
export function isGeneric(eventType: string): boolean {
  return eventType.startsWith('object.');
}
