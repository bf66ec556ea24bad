#pragma once

#include <functional>

#include "transfer/item.h"
#include "transfer/worker.h"

namespace muster::transfer {

// Lists what to copy. `take` receives the items one by one, in name order where the source has one.
// Returning false ends the listing without an error.
using TakeItem = std::function<bool(Item)>;

// Receives the name of a skipped entry that is not a file; its content is unknown.
using PassOver = std::function<void(const std::string& name)>;

// All items below a location that pass the filter, or the single item that the location names.
// kNotFound if it does not exist; kInvalid for a folder without `recursive`. A link to a file
// counts as the file. Links to folders, pipes and other special files are skipped with a note.
Status ListItems(Worker& worker, const Location& location, bool recursive, const Filter& filter,
                 const TakeItem& take, const PassOver& passed_over = {});

// As ListItems, but a location that does not exist is not an error: it is a destination that will
// be created.
Status ListIfThere(Worker& worker, const Location& folder, const Filter& filter,
                   const TakeItem& take);

// Reads the metadata of a source that changed meanwhile.
Status Refresh(Worker& worker, Item& item);

}  // namespace muster::transfer
