import type { Integration } from '../../../core/integration-settings.ts';
import { describeCount } from '../../../core/quantities.ts';
import type { FieldLine } from '../../../fields/field-check.ts';
import { render, type Viewer } from '../frame/layout.tsx';
import { Icon, Status, TableCell, TableHead, Timestamp } from '../frame/parts.tsx';
import { ClientPage } from './client-page.tsx';

export interface FieldsView {
  integration: Integration;
  lines: readonly FieldLine[];
  isOfFile: boolean;
  note: string | null;
  /** The fields that could not be created. */
  problems: readonly string[];
}

export function renderFields(viewer: Viewer, view: FieldsView) {
  const { integration, lines, isOfFile, note, problems } = view;
  const broken = lines.filter(({ problem }) => problem !== null && !problem.optional).length;
  const missing = lines.filter(({ problem }) => problem?.kind === 'missing').length;
  return render(
    <ClientPage integration={integration} side="fields" viewer={viewer} note={note}>
      {problems.length > 0 && (
        <div class="trouble trouble-attention" role="alert">
          <Icon kind="attention" />
          <div>
            {problems.map((problem) => (
              <p>{problem}</p>
            ))}
          </div>
        </div>
      )}
      <section class="card" aria-labelledby="map-title">
        <div class="card-head">
          <h2 id="map-title">
            {broken === 0
              ? `All ${describeCount(lines.length, 'field')} can be written`
              : `${broken} of ${describeCount(lines.length, 'field')} cannot be written`}
          </h2>
          {missing > 0 && (
            <form method="post" action={`/clients/${integration.id}/fields/create`}>
              <button type="submit" class="button primary">
                Create what is missing
              </button>
            </form>
          )}
        </div>
        <p class="quiet about">
          Based on the CRM's current description of its fields.{' '}
          {isOfFile ? (
            <>
              The map is set in <code>donor-sync.yaml</code>.
            </>
          ) : (
            <a href={`/setup/${integration.id}/fields`}>Change the map</a>
          )}
        </p>
        <table class="stacks field-map">
          <caption class="hidden">The field map, line by line</caption>
          <TableHead texts={['Value', 'CRM field', 'State', 'When', 'Last written', 'Filled']} />
          <tbody>
            {lines.map((line) => (
              <Line line={line} now={viewer.now} />
            ))}
          </tbody>
        </table>
      </section>
    </ClientPage>,
  );
}

const RULES: Readonly<Record<FieldLine['when'], string>> = {
  always: 'always',
  ifEmpty: 'if it is empty',
  unlessEdited: 'unless a user has edited it',
};

function Line({ line, now }: { line: FieldLine; now: number }) {
  const { from, to, when, label, type, writtenAt, filled } = line;
  return (
    <tr>
      <th scope="row">
        <code>{from}</code>
      </th>
      <TableCell label="CRM field">
        {label !== null && label !== to && `${label} `}
        <code>{to}</code>
        {type !== null && <span class="quiet"> {type}</span>}
      </TableCell>
      <TableCell label="State">
        <State line={line} />
      </TableCell>
      <td data-label="When" class="broad">
        {RULES[when]}
      </td>
      <td data-label="Last written">
        {writtenAt === null ? <span class="quiet">–</span> : <Timestamp at={writtenAt} now={now} />}
      </td>
      <td data-label="Filled">
        {filled === null ? (
          <span class="quiet">–</span>
        ) : (
          `${Math.round((filled.count / filled.of) * 100)} %`
        )}
      </td>
    </tr>
  );
}

function State({ line: { problem, createdBySync } }: { line: FieldLine }) {
  if (createdBySync) return <Status kind="patience" word="added by the next run" />;
  if (problem === null) return <Status kind="well" word="fine" />;
  return (
    <>
      <Status
        kind={problem.optional ? 'patience' : 'failed'}
        word={problem.kind.replaceAll('_', ' ')}
      />
      <span class="quiet detail">
        {problem.message} {problem.fix}
      </span>
    </>
  );
}
