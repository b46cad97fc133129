/** Describes a cron expression in words. */

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/**
 * Returns a description such as `every day at 02:00` or `on Monday to Friday at 02:30`. Returns the cron expression
 * itself if no short description is possible.
 */
export function cronText(cron: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/);
  const time = timeText(minute, hour);
  const days = daysText(day, month, weekday);
  if (time === null || days === null) return `by the cron expression ${cron}`;
  return days === 'every day' && time.startsWith('every') ? time : `${days} ${time}`;
}

function timeText(minute: string, hour: string): string | null {
  const step = /^\*\/(\d+)$/;
  if (hour === '*') {
    const minutes = step.exec(minute)?.[1];
    if (minutes !== undefined) return `every ${minutes} minutes`;
    if (minute === '*') return 'every minute';
    return isNumber(minute) ? `every hour at ${Number(minute)} minutes past` : null;
  }
  if (!isNumber(minute)) return null;
  const hours = step.exec(hour)?.[1];
  if (hours !== undefined) return `every ${hours} hours at ${Number(minute)} minutes past`;
  const times = hour.split(',');
  if (!times.every(isNumber)) return null;
  return `at ${list(times.map((one) => `${one.padStart(2, '0')}:${minute.padStart(2, '0')}`))}`;
}

function daysText(day: string, month: string, weekday: string): string | null {
  if (month !== '*') return null;
  if (day === '*') return weekday === '*' ? 'every day' : weekdaysText(weekday);
  const days = day.split(',');
  if (weekday !== '*' || !days.every(isNumber)) return null;
  return `on day ${list(days.map((one) => String(Number(one))))} of each month`;
}

function weekdaysText(weekday: string): string | null {
  const range = /^([\da-z]+)-([\da-z]+)$/i.exec(weekday);
  const names = (range ? range.slice(1) : weekday.split(',')).map(dayName);
  const known = names.filter((name) => name !== null);
  if (known.length < names.length) return null;
  return `on ${range ? known.join(' to ') : list(known)}`;
}

function dayName(text: string): string | null {
  if (isNumber(text)) return DAYS[Number(text) % DAYS.length] ?? null;
  return DAYS.find((name) => name.slice(0, 3).toLowerCase() === text.toLowerCase()) ?? null;
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}

function list(texts: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(texts);
}
