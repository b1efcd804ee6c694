"""Values as texts in links: readers of them, and names that earlier versions gave them."""
