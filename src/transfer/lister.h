#pragma once

#include <functional>

#include "transfer/item.h"
#include "transfer/worker.h"

namespace muster::transfer {

// Finds what there is to copy. `take` gets one item after the other, in the order of their names as
// far as the source has one; false ends the listing without an error.
using TakeItem = std::function<bool(Item)>;

// Hears of a name whose content is left out, as it is no file: what is below it is not known.
using PassOver = std::function<void(const std::string& name)>;

// All below a location that the filter lets pass, or the one thing that it names. kNotFound when
// there is nothing of that name; kInvalid for a folder without `recursive`. Links to files count as
// what they lead to; links to folders, pipes and the like are passed over with a note.
Status ListItems(Worker& worker, const Location& location, bool recursive, const Filter& filter,
                 const TakeItem& take, const PassOver& passed_over = {});

// The same where nothing at all is no error: a destination that is to be.
Status ListIfThere(Worker& worker, const Location& folder, const Filter& filter,
                   const TakeItem& take);

// What a source that changed meanwhile is now.
Status Refresh(Worker& worker, Item& item);

}  // namespace muster::transfer
