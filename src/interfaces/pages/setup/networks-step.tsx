import type { Setup } from '../../../clients/setup/draft.ts';
import { formatCount } from '../../../core/quantities.ts';
import { TableCell, TableHead } from '../frame/parts.tsx';
import { FormButtons } from './parts.tsx';
import type { StepView } from './steps.ts';

/**
 * The maximum number of groups in the list. A longer list would not help users to choose. With this number, they can
 * still use the browser's search.
 */
const MOST_GROUPS = 300;

export function NetworksStep({ setup, view }: { setup: Setup; view: StepView['networks'] }) {
  const { networks } = setup.answers;
  const chosen = new Map(networks.map((one) => [JSON.stringify(one.group), one.name]));
  const offered = (view.groups ?? []).map(({ selector, name, memberCount }) => ({
    key: JSON.stringify(selector),
    name,
    memberCount,
  }));
  const others = networks.flatMap(({ group, name }) => {
    const key = JSON.stringify(group);
    return offered.some((one) => one.key === key) ? [] : [{ key, name, memberCount: null }];
  });
  const all = [...others, ...offered].slice(0, MOST_GROUPS);
  return (
    <form class="stack" method="post" action={`/setup/${setup.id}/networks`}>
      <input type="hidden" name="version" value={String(setup.version)} />
      <p class="quiet">
        A group of well-connected people, such as the board or the staff, becomes a network. Each
        contact then gets a sentence about the member who can introduce them. Each member costs a
        credit for networks. You can also do this later.
      </p>
      {all.length === 0 ? (
        <p class="empty">
          {view.groups === null ? '' : 'There is no group that could become a network.'}
        </p>
      ) : (
        <table class="stacks">
          <TableHead texts={['Group', 'Name of the network']} counts={['Members']} />
          <tbody>
            {all.map(({ key, name, memberCount }) => (
              <tr>
                <th scope="row">
                  <label class="tick">
                    <input type="checkbox" name="group" value={key} checked={chosen.has(key)} />
                    <span>{name}</span>
                  </label>
                </th>
                <TableCell label="Name of the network">
                  <input
                    name={`name:${key}`}
                    value={chosen.get(key) ?? name}
                    aria-label={`Name of the network of ${name}`}
                  />
                </TableCell>
                <td class="number" data-label="Members">
                  {memberCount === null ? '?' : formatCount(memberCount)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <FormButtons
        back={`/setup/${setup.id}/fields`}
        label={networks.length === 0 ? 'Continue' : 'Save and continue'}
      />
    </form>
  );
}
