/** Reads balances and predicts the date on which each key's credits will be used up. */
import type { Clock } from '../core/clock.ts';
import type { Integration } from '../core/integration-settings.ts';
import { describeCount } from '../core/quantities.ts';
import type { Reader } from '../database/reader.ts';
import { buildForecast, FORECAST_DAYS, type Forecast, forecastText } from './credit-forecast.ts';
import type { CreditReader, KeyCredits } from './credit-reader.ts';
import { getKey } from './key-balances.ts';
import { listSpentDays, toDay } from './statements/credit-spans.ts';

export const USED_BUCKETS = ['enhancements', 'networks'] as const;

type UsedBucket = (typeof USED_BUCKETS)[number];

export interface KeyView extends KeyCredits {
  /** The forecast of each bucket, or null if there is not enough data. `texts` contains the forecasts in words. */
  forecasts: Record<UsedBucket, Forecast | null>;
  texts: string[];
}

export interface KeyDeps {
  store: { reader: Reader };
  clock: Pick<Clock, 'now'>;
  credits: CreditReader;
}

const DAY_MS = 86_400_000;

/**
 * Reads the keys of the `shown` integrations. `known` contains all integrations, even integrations that the caller may not see. A forecast includes the spending of other integrations, but not their names.
 */
export async function readKeys(
  { store, clock, credits }: KeyDeps,
  shown: readonly Integration[],
  known: ReadonlyMap<string, Integration>,
): Promise<KeyView[]> {
  const now = clock.now();
  const today = toDay(now);
  const keys = await credits.read(shown);
  const owners = Map.groupBy(shown, getKey);
  const all = Map.groupBy(known.values(), getKey);
  const views: KeyView[] = [];
  for (const [index, [key]] of [...owners].entries()) {
    const one = keys[index];
    if (one === undefined) continue;
    const ids = (all.get(key) ?? []).map(({ id }) => id);
    const whole = ids.length === known.size ? null : ids;
    const spent = await listSpentDays(
      store.reader,
      whole,
      toDay(now - FORECAST_DAYS * DAY_MS),
      today,
    );
    const forecast = (bucket: UsedBucket) => {
      const days = spent.map((day) => ({ day: day.at, credits: day[bucket] }));
      return buildForecast(one.balances?.[bucket] ?? 0, days, today);
    };
    const forecasts = { enhancements: forecast('enhancements'), networks: forecast('networks') };
    const name = keyName(one.integrations);
    const texts = USED_BUCKETS.flatMap((bucket) => {
      const found = forecasts[bucket];
      return found === null ? [] : [forecastText(found, bucket, name)];
    });
    views.push({ ...one, forecasts, texts });
  }
  return views;
}

const MOST_NAMES = 3;

/** Returns a name such as `the key of Riverside and Lakeside`, or `the key of Riverside, Lakeside and 4 others`. */
export function keyName(names: readonly string[]): string {
  const left = names.length - MOST_NAMES + 1;
  const shown = names.length > MOST_NAMES ? names.slice(0, MOST_NAMES - 1) : names;
  const list = left > 1 ? [...shown, describeCount(left, 'other')] : shown;
  return `the key of ${new Intl.ListFormat('en', { type: 'conjunction' }).format(list)}`;
}
