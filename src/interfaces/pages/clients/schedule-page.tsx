import { cronText } from '../../../clients/schedules/cron-text.ts';
import type {
  CalendarDay,
  ClockChange,
  PastNight,
  ScheduleDetail,
} from '../../../clients/schedules/schedule-calendar.ts';
import { isAtLimit } from '../../../clients/views/verdict.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { dayText } from '../../../credits/credit-forecast.ts';
import { may, render, type Viewer } from '../frame/layout.tsx';
import {
  AT_LIMIT,
  ConfirmDialog,
  Fact,
  type IconKind,
  Status,
  Timestamp,
  Zone,
} from '../frame/parts.tsx';
import { ClientPage } from './client-page.tsx';
import { RHYTHMS, type ScheduleForm, WEEKDAYS } from './schedule-form.ts';

export interface SchedulePageView {
  integration: Integration;
  inForce: ScheduleDetail;
  form: ScheduleForm;
  preview: ScheduleDetail | null;
  problem: string | null;
  isOfFile: boolean;
  note: string | null;
}

export function renderSchedule(viewer: Viewer, view: SchedulePageView) {
  const { integration, inForce, isOfFile, note } = view;
  const mayChange = may(viewer, 'admin');
  return render(
    <ClientPage
      integration={integration}
      side="schedule"
      viewer={viewer}
      note={note}
      assets={['combobox']}
    >
      <section class="card" aria-labelledby="now-title">
        <div class="card-head">
          <h2 id="now-title">{inForce.text === null ? 'On request' : sentence(inForce.text)}</h2>
          {mayChange && inForce.schedule !== null && (
            <Pause integration={integration} paused={inForce.schedule.paused} />
          )}
        </div>
        <InForce detail={inForce} now={viewer.now} />
        {isOfFile && (
          <p class="quiet">
            Set in <code>donor-sync.yaml</code>: the operator changes it there. You can still pause
            it here.
          </p>
        )}
      </section>
      {mayChange && !isOfFile && <Change view={view} />}
      {inForce.ahead.length > 0 && (
        <section class="card" aria-labelledby="ahead-title">
          <h2 id="ahead-title">The next 30 days</h2>
          <Calendar days={inForce.ahead} />
        </section>
      )}
      <section class="card" aria-labelledby="past-title">
        <h2 id="past-title">The last 30 days</h2>
        <Calendar days={inForce.past} />
      </section>
    </ClientPage>,
  );
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function InForce({ detail, now }: { detail: ScheduleDetail; now: number }) {
  const { schedule, timezone, changes } = detail;
  if (schedule === null) {
    return (
      <p class="empty">
        This client has no schedule. It runs only when a user, a webhook or the API requests it.
      </p>
    );
  }
  const { cron, nextRunAt, paused } = schedule;
  return (
    <>
      <dl class="facts">
        <Fact name="Next run">
          {paused && <Status kind="patience" word="paused" />}
          {!paused && nextRunAt === null && 'none'}
          {nextRunAt !== null && (
            <>
              <Timestamp at={nextRunAt} now={now} />
              <span class="quiet detail">
                <Timestamp at={nextRunAt} now={now} as="moment" />
              </span>
            </>
          )}
        </Fact>
        <Fact name="Time zone">
          <Zone name={timezone} />
        </Fact>
        <Fact name="Cron expression">
          <code>{cron}</code>
        </Fact>
      </dl>
      <Changes changes={changes} timezone={timezone} />
    </>
  );
}

function Changes({ changes, timezone }: { changes: readonly ClockChange[]; timezone: string }) {
  if (changes.length === 0) return <p class="quiet">Clocks do not change in {timezone}.</p>;
  return (
    <ul class="changes">
      {changes.map(({ day, minutes, runAt }) => (
        <li>
          On {dayText(day)} clocks go {minutes > 0 ? 'forward' : 'back'} by{' '}
          {Math.abs(minutes) === 60 ? 'an hour' : `${Math.abs(minutes)} minutes`}
          {runAt === null
            ? '; no run starts on that day.'
            : `; its first run starts at ${runAt} local time, once.`}
        </li>
      ))}
    </ul>
  );
}

function Pause(props: { integration: Integration; paused: boolean }) {
  const { integration, paused } = props;
  const { id, name = id } = integration;
  const action = `/clients/${id}/schedule`;
  if (paused) {
    return (
      <form method="post" action={`${action}/resume`}>
        <button type="submit" class="button primary">
          Resume
        </button>
      </form>
    );
  }
  return (
    <ConfirmDialog
      id="pause-question"
      buttonId="pause"
      label="Pause"
      title={`Pause ${name}?`}
      action={`${action}/pause`}
      answer="Pause"
    >
      No scheduled run starts until you resume the schedule. A run in progress continues, and runs
      can still be started by hand and by webhooks.
    </ConfirmDialog>
  );
}

/** Shows a preview of the schedule before it is saved, even without scripts. */
function Change({ view }: { view: SchedulePageView }) {
  const { integration, form, preview, problem } = view;
  const action = `/clients/${integration.id}/schedule`;
  return (
    <section class="card" aria-labelledby="change-title">
      <h2 id="change-title">Change it</h2>
      <form class="line-form" method="get" action={action}>
        <p>
          <label for="rhythm">Runs</label>
          <select id="rhythm" name="rhythm">
            {Object.entries(RHYTHMS).map(([word, text]) => (
              <option value={word} selected={word === form.rhythm}>
                {text}
              </option>
            ))}
          </select>
        </p>
        <p>
          <label for="time">At</label>
          <input id="time" name="time" type="time" value={form.time} required />
        </p>
        <p>
          <label for="weekday">Once a week: on</label>
          <select id="weekday" name="weekday">
            {WEEKDAYS.map((name, number) => (
              <option value={number} selected={number === form.weekday}>
                {name}
              </option>
            ))}
          </select>
        </p>
        <p>
          <label for="cron">Cron expression, if custom</label>
          <input id="cron" name="cron" value={form.cron} size={14} autocomplete="off" />
        </p>
        <p>
          <label for="timezone">Time zone</label>
          <input
            id="timezone"
            name="timezone"
            value={form.timezone}
            list="zones"
            required
            data-own-zone
          />
        </p>
        <datalist id="zones">
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option value={zone}></option>
          ))}
        </datalist>
        <p>
          <button type="submit" class="button">
            Preview
          </button>
        </p>
      </form>
      {problem !== null && (
        <p class="refused" role="alert">
          {problem}
        </p>
      )}
      {preview !== null && <Preview view={view} preview={preview} action={action} />}
    </section>
  );
}

function Preview(props: { view: SchedulePageView; preview: ScheduleDetail; action: string }) {
  const { view, preview, action } = props;
  const { form, inForce } = view;
  const times = preview.ahead.flatMap(({ day, times: own }) => own.map((time) => ({ day, time })));
  const before = inForce.text ?? 'on request';
  const after = preview.schedule === null ? 'on request' : cronText(preview.schedule.cron);
  return (
    <div class="current" role="status">
      <p>
        Now: {before}
        {inForce.schedule !== null && ` (${inForce.timezone})`}. It would be:{' '}
        <strong>{after}</strong>
        {preview.schedule !== null && ` (${preview.timezone})`}.
      </p>
      {times.length > 0 && (
        <p>
          The next runs:{' '}
          {times
            .slice(0, 3)
            .map(({ day, time }) => `${dayText(day)} at ${time}`)
            .join(', ')}
          .
        </p>
      )}
      {preview.schedule !== null && (
        <Changes changes={preview.changes} timezone={preview.timezone} />
      )}
      <form class="row actions" method="post" action={action}>
        {Object.entries(form).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit" class="button primary">
          Save
        </button>
        <a href={action}>Leave it as it is</a>
      </form>
    </div>
  );
}

function Calendar({ days }: { days: readonly CalendarDay[] }) {
  return (
    <ul class="month">
      {days.map(({ day, isToday, runs, times, hasMore }) => (
        <li class={isToday ? 'today' : ''}>
          <span class="day">
            {shortDay(day)}
            {isToday && ' · today'}
          </span>
          {times.map((time) => (
            <span>{time} </span>
          ))}
          {runs.map((run) => (
            <Night run={run} />
          ))}
          {hasMore && <span class="quiet">and more</span>}
          {times.length + runs.length === 0 && <span class="quiet">no run</span>}
        </li>
      ))}
    </ul>
  );
}

const RUN_MARKS: Readonly<Record<string, { kind: IconKind; word: string }>> = {
  succeeded: { kind: 'well', word: 'Done' },
  running: { kind: 'busy', word: 'Running' },
  incomplete: { kind: 'patience', word: 'Stopped early' },
  failed: { kind: 'failed', word: 'Failed' },
};

function Night({ run: { id, status, reason } }: { run: PastNight }) {
  const { kind, word } = RUN_MARKS[status] ?? { kind: 'idle' as const, word: status };
  return (
    <a class="night" href={`/runs/${id}`}>
      <Status kind={kind} word={isAtLimit({ code: reason }) ? AT_LIMIT : word} />
    </a>
  );
}

const DAY_FORMAT = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

function shortDay(day: string): string {
  return DAY_FORMAT.format(new Date(day));
}
