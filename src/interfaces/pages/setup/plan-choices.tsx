import { crmName } from '../../../../connectors/index.ts';
import { cronText } from '../../../clients/schedules/cron-text.ts';
import type { Setup } from '../../../clients/setup/draft.ts';
import type { SetupStep } from '../../../clients/setup/steps.ts';
import { describeCount } from '../../../core/quantities.ts';
import { type PlanView, STEP_NAMES } from './steps.ts';

/** Renders all answers of the user. Each answer has a link to the step in which the user gave it. */
export function PlanChoices({ setup, view }: { setup: Setup; view: PlanView }) {
  const rows: readonly [SetupStep, readonly string[]][] = [
    ['crm', describeCrm(setup)],
    ['key', describeKey(setup)],
    ['people', describePeople(setup)],
    [
      'fields',
      [
        `${describeCount(view.fieldCount, 'field')} ${view.fieldCount === 1 ? 'is' : 'are'} written`,
      ],
    ],
    ['networks', describeNetworks(setup)],
    ['schedule', describeSchedule(setup)],
  ];
  return (
    <section aria-labelledby="choices-title">
      <h2 id="choices-title">Your choices</h2>
      <table class="stacks choices">
        <caption class="hidden">The choices of each step</caption>
        <tbody>
          {rows.map(([step, lines]) => (
            <tr>
              <th scope="row">{STEP_NAMES[step]}</th>
              <td class="wide">
                {lines.map((line) => (
                  <div>{line}</div>
                ))}
              </td>
              <td class="action">
                <a href={`/setup/${setup.id}/${step}`}>
                  Change<span class="hidden"> {STEP_NAMES[step]}</span>
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function describeCrm({ answers: { crm, name } }: Setup): string[] {
  if (crm === undefined) return ['not chosen yet'];
  return [crmName(crm.kind), ...(name === undefined ? [] : [name])];
}

/** Describes the service key without showing it. */
function describeKey({ answers: { partner } }: Setup): string[] {
  return [partner === undefined ? 'not entered yet' : `Entered, for ${hostOf(partner.baseUrl)}`];
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

function describePeople({ answers: { contacts } }: Setup): string[] {
  const { filter, optOutField, deceasedField, doNotContactField } = contacts;
  const marks = [optOutField, deceasedField, doNotContactField].filter((field) => field !== null);
  return [
    filter === null ? 'All contacts' : `Contacts that match: ${filter}`,
    marks.length === 0
      ? "No field of your own marks contacts who are not sent; the CRM's own marks count"
      : `Not sent if marked in: ${marks.join(', ')}`,
  ];
}

function describeNetworks({ answers: { networks } }: Setup): string[] {
  return [networks.length === 0 ? 'None' : networks.map(({ name }) => name).join(', ')];
}

function describeSchedule({ answers: { budget, schedule, alerts } }: Setup): string[] {
  const { perMonth, perRun } = budget;
  const limits = [
    perMonth !== null && `at most ${describeCount(perMonth, 'credit')} a month`,
    perRun !== null && `at most ${describeCount(perRun, 'credit')} a run`,
  ].filter((text) => text !== false);
  return [
    limits.length === 0 ? 'No limit of credits' : capitalised(limits.join(', ')),
    schedule === null
      ? 'Runs only when you start one'
      : `Runs ${cronText(schedule.cron)} (${schedule.timezone})`,
    ...(alerts === undefined ? [] : ['Alerts also go to its own chat']),
  ];
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
