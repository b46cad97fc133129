/** Renders one step of the set-up: the list of steps, the step itself, and the resulting settings. */

import type { Setup } from '../../../clients/setup/draft.ts';
import { QUESTIONS } from '../../../clients/setup/interview/questions.ts';
import { SETUP_STEPS, type SetupStep } from '../../../clients/setup/steps.ts';
import { Layout, type Viewer } from '../frame/layout.tsx';
import { clientHref } from '../home/client-href.ts';
import { CrmStep, KeyStep } from './connect-steps.tsx';
import { FieldsStep } from './fields-step.tsx';
import { NetworksStep } from './networks-step.tsx';
import { Problem } from './parts.tsx';
import { PeopleStep } from './people-step.tsx';
import { PlanStep } from './plan-step.tsx';
import { ScheduleStep } from './schedule-step.tsx';
import { missingFor, type Shown, STEP_NAMES, type StepPageView, yamlOfAnswers } from './steps.ts';

export function StepPage({ viewer, view }: { viewer: Viewer; view: StepPageView }) {
  const { setup, shown, problem, note } = view;
  const { id, answers } = setup;
  const name = answers.name ?? id;
  const { step, trouble } = shown;
  return (
    <Layout
      title={`${STEP_NAMES[step]} · Set-up of ${name}`}
      viewer={viewer}
      area="setup"
      note={note}
      assets={['setupStyles', 'setupScript']}
    >
      <p class="crumbs">
        <a href="/setup">Set-up</a>
        {!setup.isNew && (
          <>
            {' '}
            <span aria-hidden="true">/</span> <a href={clientHref(id)}>{name}</a>
          </>
        )}
      </p>
      <nav class="steps" aria-label="Steps">
        <ol>
          {SETUP_STEPS.map((one) => (
            <StepLink setup={setup} step={one} current={step} />
          ))}
        </ol>
      </nav>
      <section class="card step" aria-labelledby="step-title">
        <p class="quiet">
          {setup.isNew ? 'Set-up of' : 'Changing'} {name}
        </p>
        <h1 id="step-title">{getTitle(setup, shown)}</h1>
        <Problem text={problem ?? trouble} />
        <Content view={view} viewer={viewer} />
      </section>
      <details class="card yaml-part">
        <summary>Show YAML</summary>
        <p class="quiet">
          The settings from these answers, in the format that <code>donor-sync apply</code> accepts.
          Keys are not shown.
        </p>
        <pre class="yaml" tabindex={0}>
          <code>{yamlOfAnswers(setup)}</code>
        </pre>
      </details>
    </Layout>
  );
}

const TITLES: Readonly<Record<SetupStep, string>> = {
  crm: QUESTIONS.crmKind.ask,
  key: 'Service key',
  people: 'Who is sent?',
  fields: 'Where do the profiles go?',
  networks: 'Which groups become networks?',
  schedule: 'What may it cost, and when does it run?',
  plan: 'The plan',
};

function getTitle({ isNew, trialRun }: Setup, shown: Shown): string {
  if (shown.step !== 'plan') return TITLES[shown.step];
  if (!isNew) return 'What is changed';
  if (trialRun === null) return TITLES.plan;
  const isOver = shown.view.run !== null && shown.view.run.status !== 'running';
  return isOver ? 'Results of the trial' : 'The trial';
}

function StepLink(props: { setup: Setup; step: SetupStep; current: SetupStep }) {
  const { setup, step, current } = props;
  const isDone = setup.done.includes(step);
  const label = (
    <>
      {STEP_NAMES[step]}
      {isDone && <span class="hidden"> (done)</span>}
    </>
  );
  const isOpen = missingFor(setup, step) === null;
  return (
    <li class={isDone ? 'done' : ''}>
      {isOpen ? (
        <a
          href={`/setup/${setup.id}/${step}`}
          {...(step === current ? { 'aria-current': 'step' } : {})}
        >
          {label}
        </a>
      ) : (
        <span>{label}</span>
      )}
    </li>
  );
}

function Content({ view, viewer }: { view: StepPageView; viewer: Viewer }) {
  const { setup, shown } = view;
  switch (shown.step) {
    case 'crm':
      return <CrmStep page={view} view={shown.view} />;
    case 'key':
      return <KeyStep page={view} view={shown.view} />;
    case 'people':
      return <PeopleStep setup={setup} view={shown.view} />;
    case 'fields':
      return <FieldsStep setup={setup} view={shown.view} hasProblem={view.problem !== null} />;
    case 'networks':
      return <NetworksStep setup={setup} view={shown.view} />;
    case 'schedule':
      return <ScheduleStep setup={setup} view={shown.view} alerts={view.alerts} />;
    case 'plan':
      return <PlanStep setup={setup} view={shown.view} viewer={viewer} />;
  }
}
