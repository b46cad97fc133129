import type { Integration } from '../../../core/integration-settings.ts';
import { describeCount } from '../../../core/quantities.ts';
import { describeSame, type MergedFinding, mergeAlike } from '../../../operations/doctor/alike.ts';
import { CAUSES, countCauses, type DoctorFinding } from '../../../operations/doctor/causes.ts';
import { CHECK_LIMIT_MS, DOCTOR_ASKS } from '../../../operations/doctor/examine.ts';
import { render, type Viewer } from '../frame/layout.tsx';
import { CommandLine, Icon } from '../frame/parts.tsx';
import { ClientPage } from './client-page.tsx';

/** Renders the page of the doctor. `findings` is null before the first check. */
export function renderDoctor(
  viewer: Viewer,
  integration: Integration,
  findings: readonly DoctorFinding[] | null,
) {
  return render(
    <ClientPage integration={integration} side="doctor" viewer={viewer}>
      <section class="card" aria-labelledby="ask-title">
        <div class="card-head">
          <h2 id="ask-title">
            {findings === null ? 'Is everything in order?' : verdict(findings)}
          </h2>
          <form method="post" action={`/clients/${integration.id}/doctor`}>
            <button type="submit" class={findings === null ? 'button primary' : 'button'}>
              {findings === null ? 'Check now' : 'Check again'}
            </button>
          </form>
        </div>
        {findings === null ? (
          <>
            <p>Each check takes at most {CHECK_LIMIT_MS / 1_000} seconds. It checks:</p>
            <ul class="changes">
              {DOCTOR_ASKS.map((asks) => (
                <li>{asks}</li>
              ))}
            </ul>
            <p class="quiet">Nothing is spent, and nothing is written to the CRM.</p>
          </>
        ) : (
          <ul class="findings">
            {sorted(findings).map((finding) => (
              <Finding finding={finding} integration={integration} />
            ))}
          </ul>
        )}
      </section>
    </ClientPage>,
  );
}

function verdict(findings: readonly DoctorFinding[]): string {
  const causes = countCauses(findings);
  return causes === 0 ? 'All is well' : `${describeCount(causes, 'problem')} to fix`;
}

/** Sorts the findings. Problems come first. */
function sorted(findings: readonly DoctorFinding[]): MergedFinding<DoctorFinding>[] {
  const alike = mergeAlike(findings);
  return [...alike.filter(({ ok }) => !ok), ...alike.filter(({ ok }) => ok)];
}

function Finding(props: { finding: MergedFinding<DoctorFinding>; integration: Integration }) {
  const { finding, integration } = props;
  const { subject, ok, message, fix, command, others } = finding;
  return (
    <li class="finding">
      <Icon kind={ok ? 'well' : 'failed'} />
      <div>
        <p>
          <strong>
            {subject}
            <span class="hidden">{ok ? ', in order' : ', to fix'}</span>
          </strong>
          : {message}
        </p>
        {others.length > 0 && <p class="quiet">{describeSame(others)}</p>}
        {fix !== null && fix !== command && (
          <p>
            <span aria-hidden="true">→ </span>
            {fix}
          </p>
        )}
        <Help finding={finding} integration={integration} />
      </div>
    </li>
  );
}

/** Shows how to solve a problem. Users can solve some problems in the browser. For all others, the command is shown. */
function Help(props: { finding: DoctorFinding; integration: Integration }) {
  const { finding, integration } = props;
  const { cause, command, ok } = finding;
  const { id } = integration;
  switch (cause) {
    case CAUSES.missing:
      return <CreateFields id={id} label="Create the missing fields" viewers="" />;
    case CAUSES.unseen:
      return (
        <CreateFields
          id={id}
          label="Let system administrators see them"
          viewers="System Administrator"
        />
      );
    case CAUSES.holds:
      return <Way href="/decisions" text="Decide" />;
    case 'crm_scope_missing':
    case 'crm_unauthorized':
      return <Way href={`/setup/${id}/crm`} text="Connect again" />;
    case 'partner_key_rejected':
    case 'partner_key_expired':
      return <Way href={`/setup/${id}/key`} text="Enter another key" />;
  }
  if (ok || command === null) return null;
  return (
    <p>
      <CommandLine text={command} />
    </p>
  );
}

function CreateFields(props: { id: string; label: string; viewers: string }) {
  const { id, label, viewers } = props;
  return (
    <form method="post" action={`/clients/${id}/fields/create`}>
      <input type="hidden" name="viewers" value={viewers} />
      <button type="submit" class="button small">
        {label}
      </button>
    </form>
  );
}

function Way({ href, text }: { href: string; text: string }) {
  return (
    <p>
      <a class="button small" href={href}>
        {text}
      </a>
    </p>
  );
}
