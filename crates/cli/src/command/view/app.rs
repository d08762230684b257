//! The state of the viewer: a list of games or a single game, and the action of each key.

use super::sheet::Sheet;
use scoresheet::archive::GameSet;
use scoresheet::chess::Variant;
use scoresheet_query::filter::Relation;
use scoresheet_query::{ArchiveSet, Filter, Member, QueryFault, Rules, Tree, Visit};
use std::collections::HashMap;

/// The maximum number of trees to keep.
const TREES: usize = 256;

/// A key to which the viewer responds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
    Enter,
    Escape,
    Backspace,
    /// Ctrl-U: deletes the typed text.
    DeleteLine,
    /// Ctrl-W: deletes the last typed word.
    DeleteWord,
    Letter(char),
}

/// The page on the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Page {
    List,
    Game,
}

/// The current view.
pub struct App<'a> {
    /// The archives, whose games are numbered together.
    pub archives: &'a ArchiveSet,
    /// The chosen games of each archive.
    chosen: Vec<GameSet>,
    /// The games in the list: all games before a search, and the games shown now.
    all: Vec<u64>,
    pub games: Vec<u64>,
    /// The place in `games`.
    pub selected: usize,
    pub page: Page,
    pub sheet: Option<Sheet>,
    /// The current node of the game.
    pub node: usize,
    pub flip: bool,
    pub unicode: bool,
    pub help: bool,
    /// Whether the moves played in the position are shown.
    pub explorer: bool,
    /// The moves played in positions, by their rules and their FENs without the numbers of moves.
    trees: HashMap<(Variant, String), Tree>,
    /// The chosen games of each archive, by their rules.
    by_rules: HashMap<Variant, Vec<GameSet>>,
    /// The search text typed so far.
    pub prompt: Option<String>,
    pub search: Option<String>,
    /// An error message, shown until the next key.
    pub message: Option<String>,
    /// The number of rows in a page of the list, for the paging keys.
    pub rows: usize,
}

impl<'a> App<'a> {
    /// Starts with a list of the chosen games of each archive.
    pub fn new(archives: &'a ArchiveSet, chosen: Vec<GameSet>, unicode: bool) -> App<'a> {
        let members = archives.members().iter().zip(&chosen);
        let games: Vec<u64> =
            members.flat_map(|(member, games)| games.iter().map(|game| member.before() + game)).collect();
        App {
            archives,
            chosen,
            all: games.clone(),
            games,
            selected: 0,
            page: Page::List,
            sheet: None,
            node: 0,
            flip: false,
            unicode,
            help: false,
            explorer: false,
            trees: HashMap::new(),
            by_rules: HashMap::new(),
            prompt: None,
            search: None,
            message: None,
            rows: 20,
        }
    }

    /// Opens the game at the current index, at its start or at this ply.
    pub fn open(&mut self, ply: u32) {
        let Some(number) = self.games.get(self.selected) else { return };
        match self.archives.game(*number).and_then(|game| Sheet::from_game(&game)) {
            Ok(sheet) => {
                self.node = sheet.at_ply(ply);
                self.sheet = Some(sheet);
                self.page = Page::Game;
            }
            Err(error) => self.message = Some(error.to_string()),
        }
    }

    /// Opens a game by its number.
    pub fn open_number(&mut self, number: u64, ply: u32) {
        match self.games.binary_search(&number) {
            Ok(index) => self.selected = index,
            Err(_) => self.games = vec![number],
        }
        self.open(ply);
    }

    /// Handles a key. Returns whether to continue.
    pub fn key(&mut self, key: Key) -> bool {
        self.message = None;
        if let Some(text) = &mut self.prompt {
            match key {
                Key::Letter(letter) => text.push(letter),
                Key::Backspace => drop(text.pop()),
                Key::DeleteLine => text.clear(),
                Key::DeleteWord => {
                    let words = text.trim_end();
                    let end = words.rfind(char::is_whitespace).map_or(0, |at| at + 1);
                    text.truncate(end);
                }
                Key::Escape => self.prompt = None,
                Key::Enter => {
                    let text = self.prompt.take().unwrap_or_default();
                    self.find(text.trim());
                }
                _ => {}
            }
            return true;
        }
        if self.help {
            self.help = false;
            return true;
        }
        match key {
            Key::Letter('?' | 'h') => self.help = true,
            Key::Letter('/') => self.prompt = Some(String::new()),
            Key::Letter('q') if self.page == Page::List || self.games.len() < 2 => return false,
            Key::Letter('Q') => return false,
            _ => match self.page {
                Page::List => self.list_key(key),
                Page::Game => self.game_key(key),
            },
        }
        true
    }

    fn list_key(&mut self, key: Key) {
        let last = self.games.len().saturating_sub(1);
        self.selected = match key {
            Key::Up | Key::Letter('k') => self.selected.saturating_sub(1),
            Key::Down | Key::Letter('j') => self.selected + 1,
            Key::PageUp => self.selected.saturating_sub(self.rows),
            Key::PageDown | Key::Letter(' ') => self.selected + self.rows,
            Key::Home | Key::Letter('g') => 0,
            Key::End | Key::Letter('G') => last,
            Key::Enter | Key::Right => {
                self.open(0);
                self.selected
            }
            Key::Escape if self.search.is_some() => {
                let number = self.games.get(self.selected).copied();
                self.search = None;
                self.games.clone_from(&self.all);
                number.and_then(|number| self.games.binary_search(&number).ok()).unwrap_or(0)
            }
            _ => self.selected,
        }
        .min(last);
    }

    fn game_key(&mut self, key: Key) {
        let Some(sheet) = &self.sheet else { return };
        let node = &sheet.nodes[self.node];
        let forward = |at: usize| sheet.nodes[at].after.first().copied().unwrap_or(at);
        let back = |at: usize| sheet.nodes[at].before;
        let steps = |count: usize, step: &dyn Fn(usize) -> usize| (0..count).fold(self.node, |at, _| step(at));
        self.node = match key {
            Key::Right | Key::Letter('l' | ' ') => forward(self.node),
            Key::Left | Key::Backspace => back(self.node),
            Key::Down | Key::Letter('j') => steps(2, &forward),
            Key::Up | Key::Letter('k') => steps(2, &back),
            Key::PageDown => steps(20, &forward),
            Key::PageUp => steps(20, &back),
            Key::Home | Key::Letter('g') => 0,
            Key::End | Key::Letter('G') => sheet.at_ply(u32::MAX),
            // Selects the next alternative among the moves that the game contains in this position.
            Key::Letter('v') => {
                let here = &sheet.nodes[node.before].after;
                let index = here.iter().position(|node| *node == self.node);
                index.map_or(self.node, |index| here[(index + 1) % here.len()])
            }
            Key::Letter('e') => {
                self.explorer = !self.explorer;
                self.node
            }
            Key::Letter(digit @ '1'..='9') if self.explorer => return self.follow(digit as usize - '1' as usize),
            Key::Letter('f') => {
                self.flip = !self.flip;
                self.node
            }
            Key::Letter('u') => {
                self.unicode = !self.unicode;
                self.node
            }
            Key::Letter('n') if self.selected + 1 < self.games.len() => {
                self.selected += 1;
                return self.open(0);
            }
            Key::Letter('p') if self.selected > 0 => {
                self.selected -= 1;
                return self.open(0);
            }
            Key::Letter('n' | 'p') => {
                self.message = Some("there is no other game".to_owned());
                self.node
            }
            Key::Escape | Key::Letter('q') => {
                self.page = Page::List;
                self.node
            }
            _ => self.node,
        };
    }

    /// Returns the moves played in the current position, if they have been counted.
    pub fn tree(&self) -> Option<&Tree> {
        self.trees.get(&self.position()?)
    }

    /// Returns whether the moves of the current position are to be counted.
    pub fn needs_tree(&self) -> bool {
        self.explorer && self.page == Page::Game && !self.help && self.sheet.is_some() && self.tree().is_none()
    }

    /// Counts the moves that the chosen games play in the current position.
    pub fn count_moves(&mut self) {
        let (Some(sheet), Some(key)) = (&self.sheet, self.position()) else { return };
        let position = &sheet.nodes[self.node].position;
        // Only games of the same rules continue this game.
        let games = self.by_rules.entry(position.variant()).or_insert_with(|| {
            let rules = Rules::Only(position.variant());
            let members = self.archives.members().iter().zip(&self.chosen);
            let of_rules = |(member, games): (&Member, &GameSet)| rules.among(member.archive(), Some(games.clone()));
            members.map(|member| of_rules(member).unwrap_or_default()).collect()
        });
        let tree = self.archives.tree(position, Visit::First, Some(games), None);
        if self.trees.len() >= TREES {
            self.trees.clear();
        }
        self.trees.insert(key, tree);
    }

    /// Returns the rules of the current position, and its FEN without the numbers of moves.
    fn position(&self) -> Option<(Variant, String)> {
        let position = &self.sheet.as_ref()?.nodes[self.node].position;
        Some((position.variant(), position.fen().rsplitn(3, ' ').nth(2)?.to_owned()))
    }

    /// Plays a move of the explorer, by its index.
    fn follow(&mut self, index: usize) {
        let m = self.tree().and_then(|tree| tree.branches.get(index)).map(|branch| branch.m);
        if let (Some(m), Some(sheet)) = (m, &mut self.sheet) {
            self.node = sheet.play(self.node, m);
        }
    }

    /// Returns the numbers of the games that match a filter.
    fn numbers(&self, filter: &Filter) -> scoresheet::error::Result<Vec<u64>> {
        let mut numbers = Vec::new();
        for member in self.archives.members() {
            let found = filter.numbers(member.archive())?;
            numbers.extend(found.into_iter().map(|game| member.before() + game));
        }
        Ok(numbers)
    }

    /// Searches for games, by a filter or by a name of a player or event.
    fn find(&mut self, text: &str) {
        if text.is_empty() {
            (self.search, self.page, self.selected) = (None, Page::List, 0);
            self.games.clone_from(&self.all);
            return;
        }
        let named = || {
            let contains = |field| Filter::condition(field, Relation::Has, text);
            Ok::<_, QueryFault>(contains("player")? | contains("event")?)
        };
        // No name contains these characters, so a text with such a character is an invalid filter, not an unknown name.
        let is_filter = text.contains(['=', '<', '>', '~', '{', '"']);
        let found = match Filter::parse(text) {
            Err(fault) if !is_filter => named().map_err(|_| fault),
            found => found,
        };
        let numbers: Result<Vec<u64>, String> = match found {
            Ok(filter) => self.numbers(&filter).map_err(|error| error.to_string()),
            Err(fault) => Err(fault.to_string().lines().next().unwrap_or_default().to_owned()),
        };
        match numbers {
            Ok(numbers) => {
                let games: Vec<u64> =
                    numbers.into_iter().filter(|number| self.all.binary_search(number).is_ok()).collect();
                if games.is_empty() {
                    self.message = Some(format!("nothing found: {text}"));
                    return;
                }
                (self.games, self.selected, self.page, self.search) = (games, 0, Page::List, Some(text.to_owned()));
            }
            Err(fault) => self.message = Some(fault),
        }
    }
}
