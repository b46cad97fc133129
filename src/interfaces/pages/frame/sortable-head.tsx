/** The header of a table that users can sort. The header consists of links, which need no script. */
import type { Child } from 'hono/jsx';

type Direction = 'ascending' | 'descending';

export interface SortableColumn<Order extends string> {
  text: Child;
  isNumber?: boolean;
  /**
   * The sort orders of the column. The order of the first click comes first. If omitted, users cannot sort by the
   * column.
   */
  orders?: Orders<Order>;
}

type Orders<Order extends string> = Partial<Record<Direction, Order>>;

interface SortableHeadProps<Order extends string> {
  columns: readonly SortableColumn<Order>[];
  /** The current order of the table's rows. */
  order: Order;
  /** Returns the address for a sort order. The address keeps the page's filters. */
  hrefOf: (order: Order) => string;
}

export function SortableHead<Order extends string>(props: SortableHeadProps<Order>) {
  const { columns, order, hrefOf } = props;
  return (
    <thead class={columns.some(({ orders }) => orders) ? 'sortable' : ''}>
      <tr>
        {columns.map(({ text, isNumber = false, orders }) => {
          const kind = isNumber ? { class: 'number' } : {};
          if (orders === undefined) {
            return (
              <th scope="col" {...kind}>
                {text}
              </th>
            );
          }
          const current = findDirection(orders, order);
          return (
            <th scope="col" {...kind} {...(current === null ? {} : { 'aria-sort': current })}>
              <a class="sort" href={hrefOf(findNextOrder(orders, order))}>
                {text}
                <SortArrow direction={current} />
              </a>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** Renders the arrow. A pale arrow shows that users can sort by the column. */
function SortArrow({ direction }: { direction: Direction | null }) {
  return (
    <span class={direction === null ? 'sort-arrow sort-possible' : 'sort-arrow'} aria-hidden="true">
      {direction === 'ascending' ? '▲' : direction === 'descending' ? '▼' : '↕'}
    </span>
  );
}

function findDirection<Order extends string>(
  orders: Orders<Order>,
  order: Order,
): Direction | null {
  if (orders.ascending === order) return 'ascending';
  return orders.descending === order ? 'descending' : null;
}

/**
 * Returns the order of the next click. The next click sorts by the column's first order, or by its second order if the
 * table already has the first order.
 */
export function findNextOrder<Order extends string>(orders: Orders<Order>, order: Order): Order {
  const [first = order, second = first] = Object.values(orders);
  return order === first ? second : first;
}
