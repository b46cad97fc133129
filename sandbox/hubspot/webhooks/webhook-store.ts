/** Stores the address for an app's events, and the app's subscriptions. */

import type { Database } from '../core/database.ts';
import { isoTime } from '../properties/property.ts';

/** The app's settings. Times are milliseconds since 1970. */
export interface WebhookSettings {
  targetUrl: string;
  /** The maximum number of deliveries in flight at the same time. */
  maxConcurrentRequests: number;
  createdAtMs: number;
  updatedAtMs: number;
}

/** A subscription of the app to one type of events. */
export interface Subscription {
  id: number;
  eventType: string;
  /** The name of the property, or null if the events are not about a property. */
  propertyName: string | null;
  /** The object type, or null if the events are not generic. */
  objectTypeId: string | null;
  active: boolean;
  createdAtMs: number;
  updatedAtMs: number;
}

/** The members of a new subscription. */
export type NewSubscription = Pick<
  Subscription,
  'eventType' | 'propertyName' | 'objectTypeId' | 'active'
>;

/** The settings and subscriptions of the account's only app. */
export interface WebhookStore {
  /** Returns the settings, or null if they have not been set. */
  settings(): WebhookSettings | null;
  setSettings(targetUrl: string, maxConcurrentRequests: number): void;
  deleteSettings(): void;
  subscriptions(): readonly Subscription[];
  subscribe(subscription: NewSubscription): number;
  setActive(id: number, active: boolean): void;
  unsubscribe(id: number): void;
}

export function openWebhookStore(db: Database, clock: () => number): WebhookStore {
  db.exec(SCHEMA);
  const all = db.prepare<[], Row>('select * from webhook_subscriptions order by id');
  // The subscriptions are cached, because every write to a record reads them.
  let known = all.all().map(toSubscription);

  function change(sql: string, ...values: unknown[]): void {
    db.prepare(sql).run(...values);
    known = all.all().map(toSubscription);
  }

  return {
    settings: () => db.prepare<[], WebhookSettings>(READ_SETTINGS).get() ?? null,
    setSettings(targetUrl, maxConcurrentRequests) {
      const now = clock();
      db.prepare(WRITE_SETTINGS).run(targetUrl, maxConcurrentRequests, now, now);
    },
    deleteSettings: () => void db.prepare('delete from webhook_settings').run(),
    subscriptions: () => known,
    subscribe({ eventType, propertyName, objectTypeId, active }) {
      const now = clock();
      change(SUBSCRIBE, eventType, propertyName, objectTypeId, Number(active), now, now);
      return known.at(-1)?.id ?? 0;
    },
    setActive(id, active) {
      const sql = 'update webhook_subscriptions set active = ?, updated_at_ms = ? where id = ?';
      change(sql, Number(active), clock(), id);
    },
    unsubscribe: (id) => change('delete from webhook_subscriptions where id = ?', id),
  };
}

/** Returns the settings as HubSpot's API returns them. */
export function settingsBody(settings: WebhookSettings) {
  return {
    targetUrl: settings.targetUrl,
    throttling: { maxConcurrentRequests: settings.maxConcurrentRequests },
    createdAt: isoTime(settings.createdAtMs),
    updatedAt: isoTime(settings.updatedAtMs),
  };
}

/** Returns a subscription as HubSpot's API returns it. */
export function subscriptionBody(subscription: Subscription) {
  const { propertyName, objectTypeId } = subscription;
  return {
    id: String(subscription.id),
    eventType: subscription.eventType,
    ...(propertyName === null ? {} : { propertyName }),
    ...(objectTypeId === null ? {} : { objectTypeId }),
    active: subscription.active,
    createdAt: isoTime(subscription.createdAtMs),
    updatedAt: isoTime(subscription.updatedAtMs),
  };
}

interface Row {
  id: number;
  event_type: string;
  property_name: string | null;
  object_type_id: string | null;
  active: number;
  created_at_ms: number;
  updated_at_ms: number;
}

function toSubscription(row: Row): Subscription {
  return {
    id: row.id,
    eventType: row.event_type,
    propertyName: row.property_name,
    objectTypeId: row.object_type_id,
    active: row.active === 1,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}

const READ_SETTINGS = `
select target_url as targetUrl, max_concurrent_requests as maxConcurrentRequests,
  created_at_ms as createdAtMs, updated_at_ms as updatedAtMs from webhook_settings`;

const WRITE_SETTINGS = `
insert into webhook_settings values (1, ?, ?, ?, ?) on conflict (id) do update set
  target_url = excluded.target_url, max_concurrent_requests = excluded.max_concurrent_requests,
  updated_at_ms = excluded.updated_at_ms`;

const SUBSCRIBE = `
insert into webhook_subscriptions
  (event_type, property_name, object_type_id, active, created_at_ms, updated_at_ms)
values (?, ?, ?, ?, ?, ?)`;

const SCHEMA = `
create table if not exists webhook_settings (
  id integer primary key check (id = 1),
  target_url text not null,
  max_concurrent_requests integer not null,
  created_at_ms integer not null,
  updated_at_ms integer not null
);
create table if not exists webhook_subscriptions (
  id integer primary key autoincrement,
  event_type text not null,
  property_name text,
  object_type_id text,
  active integer not null,
  created_at_ms integer not null,
  updated_at_ms integer not null
);
`;
