/** Creates the events that an app receives about changes of records. */

import type { RecordChange } from '../records/record-store.ts';
import { isGeneric, isPropertyChange } from './event-type.ts';
import type { Subscription } from './webhook-store.ts';

/** An event that an app receives. The number of the delivery attempt is added later. */
export interface WebhookEvent {
  eventId: number;
  subscriptionId: number;
  portalId: number;
  appId: number;
  /** The time of the change (milliseconds since 1970). */
  occurredAt: number;
  subscriptionType: string;
  objectId: number;
  changeSource: string;
  sourceId: string;
  [detail: string]: unknown;
}

/** The account that sends the events, and the app that receives them. */
export interface EventSource {
  portalId: number;
  appId: number;
  nextEventId(): number;
}

export function eventsOf(
  change: RecordChange,
  subscriptions: readonly Subscription[],
  source: EventSource,
): WebhookEvent[] {
  return subscriptions
    .filter((subscription) => subscription.active && isWanted(change, subscription))
    .map((subscription) => toEvent(change, subscription, source));
}

const EVENT_OF_CHANGE = {
  created: 'creation',
  updated: 'propertyChange',
  archived: 'deletion',
  restored: 'restore',
  merged: 'merge',
  erased: 'privacyDeletion',
} as const satisfies Record<RecordChange['kind'], string>;

/**
 * Returns true if the app has subscribed to the change. The names of older event types contain the object type.
 * Subscriptions to generic types have a separate member for the object type.
 */
function isWanted(change: RecordChange, subscription: Subscription): boolean {
  const { eventType, objectTypeId, propertyName } = subscription;
  const object = isGeneric(eventType) ? 'object' : change.type.word.toLowerCase();
  if (isGeneric(eventType) && objectTypeId !== change.type.typeId) return false;
  return isPropertyChange(eventType)
    ? eventType === `${object}.propertyChange` && Object.hasOwn(change.changed, propertyName ?? '')
    : eventType === `${object}.${EVENT_OF_CHANGE[change.kind]}`;
}

function toEvent(
  change: RecordChange,
  subscription: Subscription,
  { portalId, appId, nextEventId }: EventSource,
): WebhookEvent {
  const { eventType, objectTypeId } = subscription;
  return {
    eventId: nextEventId(),
    subscriptionId: subscription.id,
    portalId,
    appId,
    occurredAt: change.atMs,
    subscriptionType: eventType,
    objectId: Number(change.id),
    ...(objectTypeId === null ? {} : { objectTypeId }),
    changeSource: change.author.source,
    sourceId: change.author.sourceId,
    ...detailsOf(change, subscription),
  };
}

function detailsOf(change: RecordChange, { eventType, propertyName }: Subscription) {
  if (isPropertyChange(eventType)) {
    const propertyValue = change.changed[propertyName ?? ''] ?? '';
    return { propertyName, propertyValue, isSensitive: false };
  }
  switch (change.kind) {
    case 'created':
      return { changeFlag: 'CREATED' };
    case 'archived':
    case 'erased':
      return { changeFlag: 'DELETED' };
    case 'restored':
      return { changeFlag: 'RESTORED' };
    case 'merged':
      return mergeDetails(change);
    default:
      return {};
  }
}

function mergeDetails({ id, mergedIds, changed }: RecordChange) {
  const [primary = id, ...others] = mergedIds;
  return {
    changeFlag: 'MERGED',
    primaryObjectId: Number(primary),
    mergedObjectIds: others.map(Number),
    newObjectId: Number(id),
    numberOfPropertiesMoved: Object.keys(changed).length,
  };
}
