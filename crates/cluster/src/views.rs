//! The table functions `tree('fen')` and `hits('fen')` as queries over the games of a cluster: each executor evaluates
//! its games, and the query adds the counts.

use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{Result, plan_err};
use datafusion::datasource::ViewTable;
use datafusion::execution::SessionState;
use datafusion::logical_expr::Expr;
use scoresheet::Position;
use scoresheet::chess::Color;
use std::fmt;
use std::sync::Arc;

/// A table function that expands to a query.
pub struct View {
    state: SessionState,
    is_tree: bool,
}

/// Returns both functions with their names, for queries planned in this state.
pub fn views(state: &SessionState) -> [(&'static str, Arc<dyn TableFunctionImpl>); 2] {
    let of = |is_tree| Arc::new(View { state: state.clone(), is_tree }) as Arc<dyn TableFunctionImpl>;
    [("tree", of(true)), ("hits", of(false))]
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("is_tree", &self.is_tree).finish_non_exhaustive()
    }
}

impl TableFunctionImpl for View {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let name = if self.is_tree { "tree" } else { "hits" };
        let text = match args.exprs() {
            [Expr::Literal(literal, _)] => literal.try_as_str().flatten().map(str::to_owned),
            [] if self.is_tree => Some(Position::standard().fen()),
            _ => None,
        };
        let Some(text) = text else { return plan_err!("{name} takes a FEN in quotes") };
        if text.trim_start().starts_with('{') {
            return plan_err!("{name} takes a FEN in a cluster: `scoresheet sql` answers questions as JSON");
        }
        let position = match Position::from_fen(text.as_bytes()) {
            Ok(position) => position,
            Err(error) => return plan_err!("{name}: {error}"),
        };
        let query = if self.is_tree { tree(&position) } else { hits(&position) };
        // Tables are found by their names, so this does not block.
        let plan = futures::executor::block_on(self.state.create_logical_plan(&query))?;
        Ok(Arc::new(ViewTable::new(plan, None)))
    }
}

/// The condition that a game is not of a variant, as for a search in one process.
const OF_CHESS: &str = "variant_of(tags['Variant']) is null";

fn hits(position: &Position) -> String {
    let fen = position.fen();
    format!(
        "select game_id, arrow_cast(first_ply(brenner, '{fen}'), 'Int32') as ply, false as variation, \
         arrow_cast(null, 'Int32') as pv from games \
         where reaches(brenner, '{fen}') and {OF_CHESS}"
    )
}

/// Returns the same columns as `tree` in one process, computed by the same rules: a game's rating is the mean of the
/// players' ratings, or the only known rating.
fn tree(position: &Position) -> String {
    let fen = position.fen();
    let (won, opponent) = match position.turn() {
        Color::White => ("1-0", "black_elo"),
        Color::Black => ("0-1", "white_elo"),
    };
    let is = |result: &str| format!("sum(case when result = '{result}' then 1 else 0 end)");
    let (white, draws, black) = (is("1-0"), is("1/2-1/2"), is("0-1"));
    format!(
        "select san, uci, games, white, draws, black, games - white - draws - black as unknown, average_rating, \
         arrow_cast(round(opponents / nullif(rated, 0) + \
         greatest(least(400.0 * log10(halves / (2.0 * rated - halves)), 800.0), -800.0)), 'Int32') as performance, \
         last_year from (select san, uci, count(*) as games, {white} as white, {draws} as draws, {black} as black, \
         arrow_cast(round(avg((coalesce(white_elo, black_elo) + coalesce(black_elo, white_elo)) / 2.0)), 'Int32') \
         as average_rating, \
         arrow_cast(sum(case when decided and {opponent} is not null then 1 else 0 end), 'Float64') as rated, \
         arrow_cast(sum(case when decided then {opponent} end), 'Float64') as opponents, \
         arrow_cast(sum(case when {opponent} is null then 0 when result = '{won}' then 2 when result = '1/2-1/2' \
         then 1 else 0 end), 'Float64') as halves, \
         max(try_cast(substr(date_text, 1, 4) as int)) as last_year \
         from (select san_at(brenner, ply) as san, uci_at(brenner, ply) as uci, result, white_elo, black_elo, \
         date_text, result in ('1-0', '0-1', '1/2-1/2') as decided \
         from (select *, first_ply(brenner, '{fen}') as ply from games \
         where reaches(brenner, '{fen}') and {OF_CHESS})) \
         where san is not null group by san, uci) order by games desc, uci"
    )
}
