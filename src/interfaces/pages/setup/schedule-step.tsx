import type { Setup } from '../../../clients/setup/draft.ts';
import { QUESTIONS } from '../../../clients/setup/interview/questions.ts';
import { USUAL_HOUR } from '../../../clients/setup/interview/schedule.ts';
import type { Settings } from '../../../settings/settings.ts';
import { Zone } from '../frame/parts.tsx';
import { RHYTHMS } from './forms.ts';
import { Choice, Field, FormButtons } from './parts.tsx';
import type { StepView } from './steps.ts';

export function ScheduleStep(props: {
  setup: Setup;
  view: StepView['schedule'];
  alerts: Settings['alerts'];
}) {
  const { setup, view, alerts } = props;
  const { budget, schedule, alerts: own } = setup.answers;
  const { rhythm, hour } = toRhythm(schedule?.cron ?? null, setup.done.includes('schedule'));
  const timezone = schedule?.timezone ?? '';
  return (
    <form class="stack" method="post" action={`/setup/${setup.id}/schedule`} data-look>
      <input type="hidden" name="version" value={String(setup.version)} />
      <div class="grid">
        <Field
          name="perMonth"
          label={QUESTIONS.perMonth.label}
          value={budget.perMonth === null ? null : String(budget.perMonth)}
          inputmode="numeric"
          hint={`${QUESTIONS.perMonth.hint} Empty for no limit.`}
        />
        <Field
          name="perRun"
          label={QUESTIONS.perRun.label}
          value={budget.perRun === null ? null : String(budget.perRun)}
          inputmode="numeric"
          hint="Empty for no limit."
        />
      </div>
      <div class="grid">
        <Choice
          name="rhythm"
          label="It runs"
          value={rhythm}
          options={[
            ...Object.entries(RHYTHMS).map(([value, { label }]) => ({ value, label })),
            { value: 'cron', label: 'custom (cron)' },
            { value: 'none', label: 'on request' },
          ]}
        />
        <Field
          name="hour"
          label="At which hour (0 to 23)"
          value={String(hour)}
          inputmode="numeric"
        />
        <Field
          name="timezone"
          label={QUESTIONS.timezone.label}
          value={timezone}
          list="zones"
          isOwnZone
          hint="Your browser's time zone, unless you choose another."
        />
        <Field
          name="cron"
          label={QUESTIONS.cron.label}
          value={schedule?.cron ?? null}
          hint="Only for a custom schedule."
        />
      </div>
      <datalist id="zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option value={zone}></option>
        ))}
      </datalist>
      <div id="look" data-part aria-live="polite">
        <NextRuns times={view.next} timezone={timezone || 'UTC'} />
      </div>
      <section class="stack" aria-labelledby="alerts-title">
        <h2 id="alerts-title">Alerts</h2>
        <p class="quiet">
          You get one message when this client needs a user (a run failed, credits are low, a
          decision is open), and another when the problem is resolved. {alertsText(alerts)}
        </p>
        <Field
          name="alertsUrl"
          label={
            own === undefined
              ? 'Webhook of a chat (optional)'
              : 'Another webhook of a chat (optional)'
          }
          type="password"
          placeholder="https://…"
          hint={
            own === undefined
              ? 'The address of an incoming webhook of Slack, Teams or Mattermost. It is kept encrypted, and no page shows it again.'
              : 'Entered. Leave this empty, unless it changes.'
          }
        />
        {own !== undefined && (
          <label class="tick">
            <input type="checkbox" name="alertsOff" value="yes" />
            <span>Stop the alerts of this client</span>
          </label>
        )}
      </section>
      <FormButtons back={`/setup/${setup.id}/networks`}>
        <button type="submit" class="button" name="do" value="look">
          Show the next runs
        </button>
        <button type="submit" class="button" name="do" value="test">
          Save and test the alerts
        </button>
      </FormButtons>
    </form>
  );
}

function toRhythm(cron: string | null, isAnswered: boolean): { rhythm: string; hour: number } {
  if (cron === null) return { rhythm: isAnswered ? 'none' : 'nightly', hour: USUAL_HOUR };
  const hour = Number(/^0 (\d{1,2}) /.exec(cron)?.[1] ?? USUAL_HOUR);
  const found = Object.entries(RHYTHMS).find(
    ([, one]) => one.cron.replace('H', String(hour)) === cron,
  );
  return { rhythm: found?.[0] ?? 'cron', hour };
}

function NextRuns({ times, timezone }: { times: readonly number[]; timezone: string }) {
  if (times.length === 0) return <p class="empty">No schedule is saved yet.</p>;
  const format = new Intl.DateTimeFormat('en-US', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: timezone,
  });
  return (
    <>
      <h2>The next runs</h2>
      <ol class="next-runs">
        {times.map((time) => (
          <li>
            {format.format(time)}{' '}
            <span class="quiet">
              (<Zone name={timezone} />)
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

function alertsText({ email, webhook }: Settings['alerts']): string {
  if (email === null && webhook === null) {
    return 'donor-sync.yaml does not name an e-mail address or a webhook for messages about all clients. The administrator of this machine can add one.';
  }
  const ways = [email && `e-mail to ${email.to.join(', ')}`, webhook && 'a webhook'];
  return `Messages about all clients are sent by ${ways.filter(Boolean).join(' and ')}. The administrator of this machine sets this in donor-sync.yaml (alerts), so you do not need to enter an address here.`;
}
